#ifndef CLINUX_STACK_SPACE_H
#define CLINUX_STACK_SPACE_H

#include <stdbool.h>
#include <stddef.h>

/// Whether the calling thread's stack has less than `wanted` bytes left, or less than three quarters of its size if that
/// is smaller; false on a stack that the C library does not know.
///
/// The first call in a thread asks the C library, which takes some microseconds, and for the main thread reads
/// /proc/self/maps.
bool stack_is_scarce(size_t wanted);

#endif
