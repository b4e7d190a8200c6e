/// The hook of the caches' locks. It exists if the package was built with -Xcc -DLOCK_WORD_STEPS.

#ifndef CHAMMER_STEPS_H
#define CHAMMER_STEPS_H

#include <stdbool.h>
#include <stdint.h>

/// A step that a thread is about to take with a lock, or has just taken. The numbers are those of LockWord.h.
enum LockStepKind { step_takes = 1, step_tries, step_has, step_frees, step_cleared };

/// A function that is called with a step that a thread is about to take, or has just taken, with a lock; see LockWord.h.
typedef void (*LockStep)(enum LockStepKind kind, uint32_t *_Nonnull word);

/// Sets the function that each step with a lock calls; `false` if the caches were built without these calls.
bool steps_call(LockStep _Nonnull step);

/// A number that the calling thread stores for its own use; 0 at first.
uint32_t steps_thread(void);
void steps_set_thread(uint32_t number);

/// Keeps the process on its present processor, where threads that never run at the same time switch faster.
void steps_use_one_processor(void);

#endif
