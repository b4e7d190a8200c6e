#include "CEpoch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

// Two lines of 64 bytes, since processors fetch them in pairs.
#define READER_SIZE 128

struct reader {
    /// First, so that a pointer to it is a pointer to the whole.
    struct epoch_reader shown;
    /// How often the thread has entered and not left. Its own business.
    uint32_t depth;
    /// The epoch in which it entered; 0 while it does not read.
    _Atomic uint64_t since;
    /// All readers that have ever been made; does not change after the reader was published.
    struct reader *next;
    struct reader *next_free;
};

static _Atomic uint64_t current_epoch = 1;
static _Atomic(struct reader *) readers;

static pthread_mutex_t registration = PTHREAD_MUTEX_INITIALIZER;
static struct reader *free_readers;
static uint32_t reader_count;

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static _Thread_local struct reader *own;

/// Runs at the end of a thread. What runs after it may read once more: it registers again then.
static void give_back(void *value) {
    struct reader *reader = value;
    own = NULL;
    pthread_mutex_lock(&registration);
    reader->next_free = free_readers;
    free_readers = reader;
    pthread_mutex_unlock(&registration);
}

static void fail(const char *what) {
    fprintf(stderr, "ResourceManager: %s failed: a thread cannot read a cache without it\n", what);
    abort();
}

static void make_key(void) {
    if (pthread_key_create(&key, give_back) != 0) fail("pthread_key_create");
}

static struct reader *register_thread(void) {
    pthread_once(&key_once, make_key);
    pthread_mutex_lock(&registration);
    struct reader *reader = free_readers;
    if (reader) {
        free_readers = reader->next_free;
    } else {
        reader = aligned_alloc(READER_SIZE, READER_SIZE);
        if (!reader) fail("aligned_alloc");
        atomic_init(&reader->since, 0);
        reader->depth = 0;
        reader->shown.number = reader_count++;
        reader->next = atomic_load_explicit(&readers, memory_order_relaxed);
        atomic_store_explicit(&readers, reader, memory_order_release);
    }
    pthread_mutex_unlock(&registration);
    // A read-modify-write of the word that a writer modified: either that writer sees the new reader in the list, or the
    // reader sees what the writer made unreachable before.
    epoch_advance();
    if (pthread_setspecific(key, reader) != 0) fail("pthread_setspecific");
    own = reader;
    return reader;
}

struct epoch_reader *epoch_enter(void) {
    struct reader *reader = own;
    if (__builtin_expect(!reader, 0)) reader = register_thread();
    if (reader->depth++ == 0) {
        // An old epoch, if another thread advances in between, only makes a writer wait for longer than it has to.
        uint64_t epoch = atomic_load_explicit(&current_epoch, memory_order_acquire);
        // A read-modify-write: `epoch_has_passed` does one on the same word. If that one came first, this one
        // synchronises with it, so what was made unreachable before is not found. If it came second, it sees this one.
        atomic_exchange_explicit(&reader->since, epoch, memory_order_acq_rel);
    }
    return &reader->shown;
}

void epoch_leave(struct epoch_reader *shown) {
    struct reader *reader = (struct reader *)shown;
    if (--reader->depth == 0) atomic_store_explicit(&reader->since, 0, memory_order_release);
}

uint64_t epoch_advance(void) {
    return atomic_fetch_add_explicit(&current_epoch, 1, memory_order_acq_rel);
}

bool epoch_has_passed(uint64_t epoch) {
    // Whoever is missing in the list has registered after `epoch_advance`, see there.
    struct reader *reader = atomic_load_explicit(&readers, memory_order_acquire);
    for (; reader; reader = reader->next) {
        uint64_t since = 0;
        // Changes nothing: 0 becomes 0. See `epoch_enter`.
        if (atomic_compare_exchange_strong_explicit(
                &reader->since, &since, 0, memory_order_acq_rel, memory_order_acquire))
            continue;
        if (since <= epoch) return false;
    }
    return true;
}
