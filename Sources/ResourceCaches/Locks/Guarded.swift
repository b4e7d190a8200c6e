public import CLinux

/// State that several threads use in turn, behind a lock of four bytes in separate memory.
///
/// It replaces the standard library's `Mutex`: the thread sanitizer does not see the handover of a contended one, and
/// reports a race on the guarded state. Waiters spin for some microseconds and then sleep; not recursive.
@usableFromInline
// `@unchecked`: the pointers do not change, and the lock guards their memory.
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

    /// Calls `body` with the state when no other thread uses it; waits until then.
    @inlinable
    package func withLock<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock_word_take(word)
        defer { lock_word_free(word) }
        return try body(&state.pointee)
    }

    /// Calls `body` with the state, or returns `nil` if another thread uses it.
    @inlinable
    package func withLockIfAvailable<Result, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard lock_word_try(word) else { return nil }
        defer { lock_word_free(word) }
        return try body(&state.pointee)
    }
}
