import CHammer
import Canaries

// walk: runs two or three threads on a cache in all orders of their steps with locks, and checks the values that they
// find. It needs a build with -Xcc -DLOCK_WORD_STEPS. Ends with status 1 at the first order with an error.

guard Schedules.callAtSteps() else { fail("the caches were built without steps: -Xcc -DLOCK_WORD_STEPS is missing") }
steps_use_one_processor()
walkOneKey()
walkTable()
walkLimits()
walkMoves()
print("no violations")
