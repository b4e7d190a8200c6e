#include "LockWord.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint32_t lock_word_sleepers[lock_word_counts];
_Thread_local const void *lock_word_own_note;
#ifdef LOCK_WORD_STEPS
void (*lock_word_step)(int kind, uint32_t *word);
#endif

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
    errno = saved;
}

void lock_word_wake(uint32_t *word) {
    int saved = errno;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    errno = saved;
}

void lock_word_give_way(const uint32_t *word) {
    const struct timespec pause = {0, 50000};
    // A woken thread has to wait for a processor; for milliseconds if processors are short.
    for (int turn = 0; turn < 200 && __atomic_load_n(lock_word_sleepers_of(word), __ATOMIC_RELAXED) != 0; turn++)
        nanosleep(&pause, NULL);
}
