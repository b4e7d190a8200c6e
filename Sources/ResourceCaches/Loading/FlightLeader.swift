internal import CLinux

/// Who runs the loader of a ``Flight``.
///
/// It waits in vain that waits for itself, and a thread may wait for a thread only: a task that is suspended may need
/// the very thread that is blocked.
enum FlightLeader: Equatable, Sendable {
    case thread(UInt)
    case task(Int)

    /// The thread that this runs on, for loaders that do not suspend.
    static var currentThread: Self { .thread(UInt(pthread_self())) }

    /// The task that this runs in, for loaders that may suspend.
    static var currentTask: Self {
        // Tasks have no name but their hash value, which is made from their address.
        .task(withUnsafeCurrentTask { $0?.hashValue ?? 0 })
    }

    var isThread: Bool {
        if case .thread = self { true } else { false }
    }

    /// Traps if somebody is about to wait for itself.
    func refuseToWait(for leader: Self) {
        precondition(self != leader, "a loader waits for the value that it is to load itself")
    }
}
