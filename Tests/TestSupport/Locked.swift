internal import CLinux

/// A value that several threads share, behind a lock that the thread sanitizer understands.
///
/// The sanitizer does not detect that a contended `Mutex` of the Synchronization module changes its owner, and reports false races.
public final class Locked<Value>: Sendable {
    // Unsafe: several threads use the word atomically, and the value only while they hold the lock.
    private nonisolated(unsafe) let word: UnsafeMutablePointer<UInt32>
    private nonisolated(unsafe) var value: Value

    /// Creates a lock with this value.
    public init(_ value: sending Value) {
        self.value = value
        word = .allocate(capacity: 1)
        word.initialize(to: 0)
    }

    deinit {
        word.deallocate()
    }

    /// Runs a function on the value while no other thread uses it.
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock_word_take(word)
        defer { lock_word_free(word) }
        return try body(&value)
    }
}
