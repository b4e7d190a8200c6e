/// Epochs: what readers without a lock may still be looking at, and when it may be freed.
///
/// A reader enters before it follows a shared pointer and leaves when it no longer uses what it found. A writer, of
/// whom there is one at a time for one structure, first makes a thing unreachable, then calls `epoch_advance`, and
/// frees it once `epoch_has_passed` says that everyone has left who may have seen it. Nobody waits.
///
/// It is C, and not inlined into Swift, for one reason: Swift's optimiser may move the retain of a value that was read
/// below a later atomic store, since it knows that the store releases nothing. It does not move one across a call it
/// cannot look into.

#ifndef CEPOCH_H
#define CEPOCH_H

#include <stdbool.h>
#include <stdint.h>

/// A thread as a reader. Belongs to that thread until it ends, and to another one later; never freed.
struct epoch_reader {
    /// A small number that no other living thread has.
    uint32_t number;
};

/// Begins to read, on this thread; calls nest. Costs one atomic exchange in memory of the thread's own.
///
/// Everything that a writer has made unreachable before the end of an `epoch_advance` that this call can see is not
/// found any more; everything found stays valid until the matching `epoch_leave`.
struct epoch_reader *_Nonnull epoch_enter(void);

/// Ends reading; on the thread that entered.
void epoch_leave(struct epoch_reader *_Nonnull reader);

/// Begins a new epoch and returns the one that ended.
uint64_t epoch_advance(void);

/// Whether everybody has left who entered in this epoch or before. Costs one atomic operation for each thread that has
/// ever been a reader at the same time as others.
bool epoch_has_passed(uint64_t epoch);

#endif
