// For pthread_getattr_np(3).
#define _GNU_SOURCE
#include "StackSpace.h"

#include <pthread.h>
#include <stdint.h>

/// The calling thread's stack, which the first call looks up; empty if the C library does not know it.
static _Thread_local struct {
    uintptr_t lowest, highest;
    bool was_looked_up;
} stack;

static void look_up(void) {
    stack.was_looked_up = true;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    void *start;
    size_t size;
    if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
        stack.lowest = (uintptr_t)start;
        stack.highest = stack.lowest + size;
    }
    pthread_attr_destroy(&attributes);
}

bool stack_is_scarce(size_t wanted) {
    if (!stack.was_looked_up) look_up();
    // Not the address of a local variable, which the address sanitizer moves to the heap.
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    // A fiber runs on a stack of its own.
    if (here < stack.lowest || here >= stack.highest) return false;
    size_t part = (stack.highest - stack.lowest) / 4 * 3;
    return here - stack.lowest < (wanted < part ? wanted : part);
}
