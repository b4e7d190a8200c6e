#ifndef CLINUX_THREAD_NUMBER_H
#define CLINUX_THREAD_NUMBER_H

#include <stdint.h>

/// The calling thread's number, or 0 until it has one.
extern _Thread_local uint32_t thread_number_own;

/// Gives the calling thread the smallest number that no living thread has; the number is free again when the thread
/// ends.
uint32_t thread_number_take(void);

/// A small number, from 1 on, that no other living thread has.
static inline __attribute__((always_inline)) uint32_t thread_number(void) {
    uint32_t number = thread_number_own;
    return __builtin_expect(number != 0, 1) ? number : thread_number_take();
}

#endif
