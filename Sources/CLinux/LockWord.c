#include "LockWord.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint32_t lock_word_sleepers[lock_word_counts];
// How many threads have slept and then got the lock.
static uint32_t served[lock_word_counts];
_Thread_local const void *lock_word_own_note;
#ifdef LOCK_WORD_STEPS
void (*lock_word_step)(int kind, uint32_t *word);
#endif

static inline uint32_t *served_of(const uint32_t *word) {
    return &served[lock_word_sleepers_of(word) - lock_word_sleepers];
}

static inline void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("yield");
#endif
}

// Some three microseconds: a bucket is locked for some ten nanoseconds, the policy of a cache for some hundred.
enum { spins = 100 };

bool lock_word_spin(uint32_t *word) {
    for (int spin = 0; spin < spins; spin++) {
        // A load first, since an exchange takes the cache line away from the holder.
        if (__atomic_load_n(word, __ATOMIC_RELAXED) == 0 && lock_word_try(word)) return true;
        pause_briefly();
    }
    return false;
}

void lock_word_wait(uint32_t *word) {
    if (lock_word_spin(word)) return;
    int saved = errno;
    uint32_t *sleepers = lock_word_sleepers_of(word);
    __atomic_fetch_add(sleepers, 1, __ATOMIC_SEQ_CST);
    const struct timespec millisecond = {0, 1000000};
    // It returns at once if the word is not 1 any more. The thread counts until it has the lock: `lock_word_give_way` waits
    // for it.
    do syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 1, &millisecond, NULL, 0);
    while (!lock_word_spin(word));
    __atomic_fetch_sub(sleepers, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(served_of(word), 1, __ATOMIC_RELAXED);
    errno = saved;
}

void lock_word_wake(uint32_t *word) {
    int saved = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = saved;
}

static uint64_t nanoseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void lock_word_give_way(const uint32_t *word, int turns) {
    // Not after each step: with three threads that always want the lock, a thread is asleep at any time, and each turn
    // takes some 100 µs. With 300 µs a long change is a quarter shorter, and the others' waits (p99.9) half as long again.
    const uint64_t shortest = 150000;
    static _Thread_local uint64_t last, interval;
    const uint32_t *asleep = lock_word_sleepers_of(word);
    if (__atomic_load_n(asleep, __ATOMIC_RELAXED) == 0) return;
    uint64_t begin = nanoseconds();
    if (begin - last < interval) return;
    const struct timespec pause = {0, 50000};
    // Until as many threads as sleep now have got the lock: others fall asleep meanwhile. A woken thread has to wait for
    // a processor; for milliseconds if processors are short.
    uint32_t start = __atomic_load_n(served_of(word), __ATOMIC_RELAXED);
    uint32_t sleepers = __atomic_load_n(asleep, __ATOMIC_RELAXED);
    bool is_served = false;
    for (int turn = 0; turn < turns && !is_served; turn++) {
        nanosleep(&pause, NULL);
        is_served = __atomic_load_n(asleep, __ATOMIC_RELAXED) == 0
            || __atomic_load_n(served_of(word), __ATOMIC_RELAXED) - start >= sleepers;
    }
    last = nanoseconds();
    // A waiter that gets no processor, or is stopped by a debugger, costs the others a ninth of their time at most, and a
    // slow waiter half of it.
    uint64_t waited = last - begin;
    uint64_t wanted = is_served ? waited : 8 * waited;
    interval = wanted > shortest ? wanted : shortest;
}
