import Synchronization

/// What happened on any thread, in order.
final class Trace: Sendable {
    private let events = Mutex<[String]>([])

    func record(_ event: String) {
        events.withLock { $0.append(event) }
    }

    /// What happened since the last time.
    func take() -> [String] {
        events.withLock { events in
            defer { events = [] }
            return events
        }
    }
}

/// Does something when it ends.
final class LastWords: Sendable {
    private let atEnd: @Sendable () -> Void

    init(_ atEnd: @escaping @Sendable () -> Void) {
        self.atEnd = atEnd
    }

    deinit {
        atEnd()
    }
}
