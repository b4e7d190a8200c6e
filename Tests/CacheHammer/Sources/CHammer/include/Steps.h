/// The hook of the caches' locks, which is there if the package was built with -Xcc -DLOCK_WORD_STEPS.

#ifndef CHAMMER_STEPS_H
#define CHAMMER_STEPS_H

#include <stdbool.h>
#include <stdint.h>

/// What a thread is about to do with a lock, or has just done: the numbers of LockWord.h.
enum LockStepKind { step_takes = 1, step_tries, step_has, step_frees, step_cleared };

/// Called with what a thread is about to do, or has just done, with a lock; see LockWord.h.
typedef void (*LockStep)(enum LockStepKind kind, uint32_t *_Nonnull word);

/// Has each step with a lock call a function; `false` if the caches were built without.
bool steps_call(LockStep _Nonnull step);

/// A number that the calling thread keeps for itself; 0 at first.
uint32_t steps_thread(void);
void steps_set_thread(uint32_t number);

/// Keeps the process on the processor it is on: threads that never run at once hand over faster there.
void steps_use_one_processor(void);

#endif
