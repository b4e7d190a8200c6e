public import CLinux

/// State that several threads use in turn, behind a lock of four bytes in memory of its own.
///
/// In place of the standard library's `Mutex`: the thread sanitizer does not see one that threads contend for change
/// hands, and takes what it guards for a race. Waiters spin for some microseconds and then sleep; not recursive.
@usableFromInline
// `@unchecked`: the pointers do not change, and the lock guards what they lead to.
package struct Guarded<State: ~Copyable>: ~Copyable, @unchecked Sendable {
    @usableFromInline let word: UnsafeMutablePointer<UInt32>
    @usableFromInline let state: UnsafeMutablePointer<State>

    package init(_ initial: consuming sending State) {
        word = .allocate(capacity: 1)
        word.initialize(to: 0)
        state = .allocate(capacity: 1)
        state.initialize(to: initial)
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
        word.deallocate()
    }

    /// Calls back with the state while no other thread has it; waits until then.
    @inlinable
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock_word_take(word)
        defer { lock_word_free(word) }
        return try body(&state.pointee)
    }

    /// Calls back with the state unless another thread has it, and returns `nil` then.
    @inlinable
    package func withLockIfAvailable<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard lock_word_try(word) else { return nil }
        defer { lock_word_free(word) }
        return try body(&state.pointee)
    }
}
