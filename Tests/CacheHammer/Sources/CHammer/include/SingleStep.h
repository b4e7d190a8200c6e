/// Makes the calling thread pause after each of its instructions.

#ifndef CHAMMER_SINGLE_STEP_H
#define CHAMMER_SINGLE_STEP_H

#include <stdbool.h>

/// Whether this processor supports single steps. If it does not, the functions do nothing.
extern const bool single_step_is_possible;

/// Begins single steps with the next instruction.
///
/// - Parameter pause: The minimum duration of each pause, in nanoseconds.
void single_step_begin(int pause);

/// Ends single steps, and returns the number of pauses.
unsigned long single_step_end(void);

#endif
