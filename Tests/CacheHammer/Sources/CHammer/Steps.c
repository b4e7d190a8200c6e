// For sched_getcpu and processor sets.
#define _GNU_SOURCE

#include "Steps.h"

#include <sched.h>
#include <stddef.h>

__attribute__((weak)) extern LockStep lock_word_step;

static _Thread_local uint32_t thread;

bool steps_call(LockStep step) {
    if (&lock_word_step == NULL) return false;
    lock_word_step = step;
    return true;
}

uint32_t steps_thread(void) { return thread; }
void steps_set_thread(uint32_t number) { thread = number; }

void steps_use_one_processor(void) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
}
