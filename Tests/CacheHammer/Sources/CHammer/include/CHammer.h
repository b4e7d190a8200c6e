/// Threads, single steps and the hook of the caches' locks, for Swift.

#ifndef CHAMMER_H
#define CHAMMER_H

#include "SingleStep.h"
#include "Steps.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/// Prints a line to standard error and ends the process with status 1 immediately, whatever the other threads do.
void hammer_fail(const char *_Nonnull message) __attribute__((noreturn));

#endif
