/// Has the calling thread take a pause after each of its instructions.

#ifndef CHAMMER_SINGLE_STEP_H
#define CHAMMER_SINGLE_STEP_H

#include <stdbool.h>

/// Whether this processor can do so; else the calls do nothing.
extern const bool single_step_is_possible;

/// Begins with the next instruction.
///
/// - Parameter pause: How long each pause takes at least, in nanoseconds.
void single_step_begin(int pause);

/// Ends it, and returns how many pauses there were.
unsigned long single_step_end(void);

#endif
