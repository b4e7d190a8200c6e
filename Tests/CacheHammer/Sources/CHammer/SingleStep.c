#include "SingleStep.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#if defined(__x86_64__)

const bool single_step_is_possible = true;

static int pause_nanoseconds;
static volatile unsigned long steps;

// With the trap flag set, the processor raises SIGTRAP after each instruction. The kernel clears the flag while the
// handler runs, and sets it again when the handler returns.
static void take_pause(int signal) {
    (void)signal;
    steps++;
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    // On a single processor the other threads need it.
    if (steps % 64 == 0) sched_yield();
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - start.tv_sec) * 1000000000 + now.tv_nsec - start.tv_nsec < pause_nanoseconds);
}

static void install(void) {
    struct sigaction action = {.sa_handler = take_pause};
    sigaction(SIGTRAP, &action, NULL);
}

void single_step_begin(int pause) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    pause_nanoseconds = pause;
    steps = 0;
    // Skips the red zone, in which a leaf function keeps variables.
    __asm__ volatile("leaq -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; leaq 128(%%rsp), %%rsp" ::: "memory", "cc");
}

unsigned long single_step_end(void) {
    __asm__ volatile("leaq -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); popfq; leaq 128(%%rsp), %%rsp" ::: "memory", "cc");
    return steps;
}

#else

const bool single_step_is_possible = false;
void single_step_begin(int pause) { (void)pause; }
unsigned long single_step_end(void) { return 0; }

#endif
