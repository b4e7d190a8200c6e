/// For how long an allocator keeps free pages, which is nothing while a warning has memory returned.
///
/// mimalloc looks again when a page of the same segment is freed later, so that what is freed last would stay.
final class PurgeDelay: Sendable {
    private struct State {
        /// How many are at it; each on its own thread.
        var users = 0
        var before = 0
    }

    private let state = Guarded(State())
    private let read: @Sendable () -> Int
    private let write: @Sendable (Int) -> Void

    /// - Parameters:
    ///   - read: The delay, in milliseconds; below 0 if pages are not returned at all.
    ///   - write: Sets it.
    init(read: @escaping @Sendable () -> Int, write: @escaping @Sendable (Int) -> Void) {
        self.read = read
        self.write = write
    }

    /// Sets it to nothing, if it is something, until ``resume()`` has been called as often.
    func suspend() {
        state.withLock { state in
            state.users += 1
            guard state.users == 1 else { return }
            state.before = read()
            if state.before > 0 { write(0) }
        }
    }

    /// Sets it to what it was, unless the program has set it meanwhile.
    func resume() {
        state.withLock { state in
            state.users -= 1
            if state.users == 0, state.before > 0, read() == 0 { write(state.before) }
        }
    }
}
