#pragma once
#include <stdbool.h>
#include <stdint.h>

// CLOCK_MONOTONIC in nanoseconds; the same clock in every process.
uint64_t bench_now(void);

// As many descriptors as the hard limit allows.
void bench_raise_descriptor_limit(void);

// Kills this process when the one that started it ends, so that nothing is left behind however that happens.
void bench_die_with_parent(void);

// Whether this process now runs before all ordinary ones; takes CAP_SYS_NICE. What it starts does not.
bool bench_run_first(void);
// Ends that.
void bench_run_as_usual(void);

// Lets SIGINT and SIGTERM only interrupt poll(2), so that a waiting program can clean up and end.
void bench_catch_interrupts(void);
bool bench_was_interrupted(void);

// The time that this thread has had on a processor, in nanoseconds.
uint64_t bench_processor_time(void);
// How often a processor was taken from this thread while it had something to do.
uint64_t bench_preemptions(void);

// Bytes that malloc(3) has handed out and not got back.
uint64_t bench_allocated(void);

// Has malloc(3) return its free pages to the kernel.
void bench_trim(void);
// Bytes of this process that are in memory.
uint64_t bench_resident(void);

// Lets this thread run on one processor only: the one with that number among those it may use, counted round.
void bench_pin(int number);

// Uses a value, and for all the compiler knows changes everything in memory: what was loaded before has to be loaded again.
static inline void bench_use(const void *value) { __asm__ volatile("" : : "r"(value) : "memory"); }
