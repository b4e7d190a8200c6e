/// How long an allocator keeps free pages; 0 while a warning returns memory.
///
/// mimalloc checks again only when a later page of the same segment is freed, so the last freed pages would stay.
final class PurgeDelay: Sendable {
    private struct State {
        /// The number of concurrent users, each on its own thread.
        var users = 0
        var before = 0
    }

    private let state = Guarded(State())
    private let read: @Sendable () -> Int
    private let write: @Sendable (Int) -> Void

    /// - Parameters:
    ///   - read: Reads the delay, in milliseconds; negative if pages are never returned.
    ///   - write: Sets it.
    init(read: @escaping @Sendable () -> Int, write: @escaping @Sendable (Int) -> Void) {
        self.read = read
        self.write = write
    }

    /// Sets it to 0, if it is positive, until ``resume()`` has been called as often.
    func suspend() {
        state.withLock { state in
            state.users += 1
            guard state.users == 1 else { return }
            state.before = read()
            if state.before > 0 { write(0) }
        }
    }

    /// Restores it, unless the program has changed it in the meantime.
    func resume() {
        state.withLock { state in
            state.users -= 1
            if state.users == 0, state.before > 0, read() == 0 { write(state.before) }
        }
    }
}
