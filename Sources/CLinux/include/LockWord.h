/// A lock of four bytes, for tables with a lock in each cache line.
///
/// A word is 0 while the lock is free and 1 while it is taken. Taking it is one atomic exchange, freeing it one atomic
/// store with release ordering. A waiter spins for a moment, and then sleeps in futex(2) until a holder wakes it.
///
/// The store that frees a lock does not show whether a thread sleeps. So the holder checks after the store: a waiter
/// increments `lock_word_sleepers` before it sleeps. The holder's load of the count may overtake its store, in the
/// processor's store buffer or, on arm64, by plain reordering: the holder then sees no sleeper, and futex(2), which
/// compares the word once more, still finds the lock taken. For that the store has to stay in the buffer for as long as
/// the start of a system call: this happened in two of 1.7 million sleeps. A waiter therefore sleeps for a millisecond
/// at most, and then checks again. membarrier(2) in the waiter would close the gap, but it waits until every other
/// processor has answered: up to 10 ms where a hypervisor has taken a processor away.
///
/// On weakly ordered processors the exchange's acquire ordering and the store's release ordering cover everything that
/// the lock guards, as in any lock.

#ifndef CLINUX_LOCK_WORD_H
#define CLINUX_LOCK_WORD_H

#include <stdbool.h>
#include <stdint.h>

#define LOCK_WORD_INLINE static inline __attribute__((always_inline))

enum { lock_word_counts = 64 };

/// The number of threads that sleep, are about to sleep, or have just been woken, for the locks that share a count.
extern uint32_t lock_word_sleepers[lock_word_counts];

/// Waits until the lock is free and takes it.
void lock_word_wait(uint32_t *_Nonnull word);

/// Spins for some microseconds at most, and returns whether that took the lock.
bool lock_word_spin(uint32_t *_Nonnull word);

/// Wakes a thread that sleeps for the lock.
void lock_word_wake(uint32_t *_Nonnull word);

/// Lets threads that sleep for the lock have it first; for a thread that frees it and is about to take it again.
///
/// Without this the thread would usually be faster than the threads it wakes, again and again. Waits for `turns` times
/// some 0.1 ms at most. Does nothing if the thread has done so in the last 0.15 ms, or for as long as it waited then, and
/// eight times as long if that was in vain.
void lock_word_give_way(const uint32_t *_Nonnull word, int turns);

LOCK_WORD_INLINE uint32_t *_Nonnull lock_word_sleepers_of(const uint32_t *_Nonnull word) {
    return &lock_word_sleepers[((uintptr_t)word >> 6) % lock_word_counts];
}

/// A pointer that the calling thread stores for its own use; NULL at first.
extern _Thread_local const void *_Nullable lock_word_own_note;

static inline const void *_Nullable lock_word_note(void) { return lock_word_own_note; }
static inline void lock_word_set_note(const void *_Nullable note) { lock_word_own_note = note; }

LOCK_WORD_INLINE bool lock_word_exchange(uint32_t *_Nonnull word) {
    return __atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE) == 0;
}

#ifdef LOCK_WORD_STEPS

// A build for a test in which threads take turns at each step with a lock, so that the test runs them in all orders.

/// The action that a thread is about to perform on a lock, or has just performed.
enum { lock_word_takes = 1, lock_word_tries, lock_word_has, lock_word_frees, lock_word_cleared };

/// Called at each step; NULL at first. For `lock_word_takes` it returns when the lock is free.
extern void (*_Nullable lock_word_step)(int kind, uint32_t *_Nonnull word);

LOCK_WORD_INLINE void lock_word_at(int kind, uint32_t *_Nonnull word) {
    if (lock_word_step) lock_word_step(kind, word);
}

LOCK_WORD_INLINE bool lock_word_try(uint32_t *_Nonnull word) {
    lock_word_at(lock_word_tries, word);
    if (!lock_word_exchange(word)) return false;
    lock_word_at(lock_word_has, word);
    return true;
}

LOCK_WORD_INLINE bool lock_word_try_briefly(uint32_t *_Nonnull word) { return lock_word_try(word); }

LOCK_WORD_INLINE void lock_word_take(uint32_t *_Nonnull word) {
    lock_word_at(lock_word_takes, word);
    if (!lock_word_exchange(word)) __builtin_trap();
    lock_word_at(lock_word_has, word);
}

#else

/// Takes the lock if it is free.
LOCK_WORD_INLINE bool lock_word_try(uint32_t *_Nonnull word) { return lock_word_exchange(word); }

/// Takes the lock if it is free, or becomes free within some microseconds.
LOCK_WORD_INLINE bool lock_word_try_briefly(uint32_t *_Nonnull word) {
    return __builtin_expect(lock_word_try(word), 1) || lock_word_spin(word);
}

/// Takes the lock; waits for it if another thread has it.
LOCK_WORD_INLINE void lock_word_take(uint32_t *_Nonnull word) {
    if (__builtin_expect(!lock_word_try(word), 0)) lock_word_wait(word);
}

#endif

LOCK_WORD_INLINE void lock_word_wake_sleepers(uint32_t *_Nonnull word) {
    // The compiler keeps the load after the store that freed the lock. The processor may not, see above.
    __asm__ volatile("" ::: "memory");
    if (__builtin_expect(__atomic_load_n(lock_word_sleepers_of(word), __ATOMIC_RELAXED) != 0, 0)) lock_word_wake(word);
}

/// Frees the lock, which the calling thread holds.
LOCK_WORD_INLINE void lock_word_free(uint32_t *_Nonnull word) {
#ifdef LOCK_WORD_STEPS
    lock_word_at(lock_word_frees, word);
#endif
    // Swift's optimiser may move the retain of a value that was copied under the lock below a store, which cannot release
    // anything. It does not move one across a statement that it cannot look into.
    __asm__ volatile("" ::: "memory");
    __atomic_store_n(word, 0, __ATOMIC_RELEASE);
    lock_word_wake_sleepers(word);
}

/// Records that a lock of the calling thread is free, because the kernel has cleared its memory.
LOCK_WORD_INLINE void lock_word_did_clear(uint32_t *_Nonnull word) {
#ifdef LOCK_WORD_STEPS
    lock_word_at(lock_word_cleared, word);
#endif
    lock_word_wake_sleepers(word);
}

#endif
