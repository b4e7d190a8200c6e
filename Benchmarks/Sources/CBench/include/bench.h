#pragma once
#include <stdbool.h>
#include <stdint.h>

// CLOCK_MONOTONIC in nanoseconds. The clock is the same in every process.
uint64_t bench_now(void);

// Raises the limit of descriptors to the hard limit.
void bench_raise_descriptor_limit(void);

// Kills this process when its parent ends, so that no process remains, however the parent ends.
void bench_die_with_parent(void);

// Lets this process run before all ordinary ones, and returns whether it does; needs CAP_SYS_NICE. Its child processes
// are ordinary.
bool bench_run_first(void);
// Ends that priority.
void bench_run_as_usual(void);

// Makes SIGINT and SIGTERM only interrupt poll(2), so that a waiting program can clean up and end.
void bench_catch_interrupts(void);
bool bench_was_interrupted(void);

// The processor time of this thread, in nanoseconds.
uint64_t bench_processor_time(void);
// The number of times that the kernel took the processor from this thread while it was running.
uint64_t bench_preemptions(void);

// The number of bytes that malloc(3) has allocated and that were not freed.
uint64_t bench_allocated(void);

// Makes malloc(3) return its free pages to the kernel.
void bench_trim(void);
// The number of resident bytes of this process.
uint64_t bench_resident(void);

// Lets this thread run on one processor only: the processor with that number, modulo their count, among the permitted ones.
void bench_pin(int number);

// Uses a value. To the compiler it looks as if this changed all memory, so that earlier loads have to be repeated.
static inline void bench_use(const void *value) { __asm__ volatile("" : : "r"(value) : "memory"); }
