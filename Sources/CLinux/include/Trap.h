// How the daemon ends when it finds that it is wrong itself. Embedded Swift says nothing of its own then: a text given to
// fatalError or precondition is not even part of the program.

#pragma once

/// Ends the process because a condition does not hold on which all else rests: writes the text and where the program was to
/// standard error, and aborts. Allocates nothing.
__attribute__((noreturn, cold)) void clinux_trap(const char *_Nonnull text) __attribute__((swift_name("trap(_:)")));

/// The same for what Swift itself finds: an index that is out of bounds, a number that overflows, memory that is not there.
/// `-trap-function` names it, which hands over no text.
__attribute__((noreturn, cold)) void clinux_trap_of_swift(void);
