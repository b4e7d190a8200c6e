internal import CLinux

/// What several threads share, behind a lock that the thread sanitizer understands.
///
/// It does not see a contended `Mutex` of the Synchronization module change hands, and reports races that are none.
public final class Locked<Value>: Sendable {
    // Unsafe: the word is made for several threads, and the value is used with the lock held only.
    private nonisolated(unsafe) let word: UnsafeMutablePointer<UInt32>
    private nonisolated(unsafe) var value: Value

    /// Holds a value from now on.
    public init(_ value: sending Value) {
        self.value = value
        word = .allocate(capacity: 1)
        word.initialize(to: 0)
    }

    deinit {
        word.deallocate()
    }

    /// Runs a function on the value while no other thread does.
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        lock_word_take(word)
        defer { lock_word_free(word) }
        return try body(&value)
    }
}
