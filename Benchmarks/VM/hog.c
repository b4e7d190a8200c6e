// hog START_MIB RATE_MIB MOST_MIB FILE READ_MIB: touches memory without ever returning it, growing by RATE a second
// from START to MOST. Meanwhile two threads read at random in the first READ_MIB of FILE (for example a disk) through
// the page cache.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { page = 4096, block = 16384 };
static int file;
static uint64_t blocks;

static uint64_t next(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void *read_at_random(void *argument) {
    uint64_t seed = (uintptr_t)argument;
    char buffer[block];
    for (;;)
        if (pread(file, buffer, sizeof buffer, next(&seed) % blocks * block) < 0) return NULL;
}

// Part of each page is random, so that no two pages are the same.
static void fill(char *memory, size_t bytes) {
    static uint64_t seed = 88172645463325252;
    for (size_t at = 0; at < bytes; at += page)
        for (size_t word = 0; word < 64; word += sizeof seed) {
            uint64_t value = next(&seed);
            memcpy(memory + at + word, &value, sizeof value);
        }
}

int main(int count, char **arguments) {
    if (count != 6) {
        fprintf(stderr, "hog START_MIB RATE_MIB MOST_MIB FILE READ_MIB\n");
        return 64;
    }
    size_t start = strtoul(arguments[1], NULL, 10) << 20, rate = strtoul(arguments[2], NULL, 10) << 20;
    size_t most = strtoul(arguments[3], NULL, 10) << 20;
    file = open(arguments[4], O_RDONLY);
    blocks = (strtoul(arguments[5], NULL, 10) << 20) / block;
    char *memory = mmap(NULL, most, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (file < 0 || memory == MAP_FAILED) {
        perror("hog");
        return 1;
    }
    pthread_t thread;
    for (uintptr_t seed = 1; seed <= 2 && blocks > 0; seed++) pthread_create(&thread, NULL, read_at_random, (void *)(seed * 1234567));
    size_t used = start;
    fill(memory, used);
    for (; used < most; used += rate / 20) {
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
        size_t more = rate / 20 < most - used ? rate / 20 : most - used;
        fill(memory + used, more);
    }
    for (;;) pause();
}
