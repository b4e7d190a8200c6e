#include "LockWord.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
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
        // A look first, since an exchange takes the line away from the holder.
        if (__atomic_load_n(word, __ATOMIC_RELAXED) == 0 && lock_word_try(word)) return true;
        pause_briefly();
    }
    return false;
}

// Before there are threads: with several, the kernel waits for an RCU grace period, some 10 ms. A process that loads this
// later pays that at once, and not while a thread waits for a lock.
__attribute__((constructor)) static void register_membarrier(void) {
    int saved = errno;
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    errno = saved;
}

static bool every_thread_executes_a_barrier(void) {
    // Fails if the kernel has refused the registration.
    return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void lock_word_wait(uint32_t *word) {
    if (lock_word_spin(word)) return;
    int saved = errno;
    uint32_t *sleepers = lock_word_sleepers_of(word);
    __atomic_fetch_add(sleepers, 1, __ATOMIC_SEQ_CST);
    const struct timespec millisecond = {0, 1000000};
    const struct timespec *timeout = every_thread_executes_a_barrier() ? NULL : &millisecond;
    // It returns at once if the word is not 1 any more. The thread counts until it has the lock, so one barrier is enough,
    // and `lock_word_give_way` waits for it.
    do syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 1, timeout, NULL, 0);
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
    // A thread that was woken has to wait for a processor; where these are short, for milliseconds.
    for (int turn = 0; turn < 200 && __atomic_load_n(lock_word_sleepers_of(word), __ATOMIC_RELAXED) != 0; turn++)
        nanosleep(&pause, NULL);
}
