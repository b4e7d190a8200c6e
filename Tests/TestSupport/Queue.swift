internal import Dispatch

/// A queue that an actor can run on, and that code can tell it is on.
public final class Queue: SerialExecutor {
    private static let key = DispatchSpecificKey<Bool>()
    private let queue = DispatchQueue(label: "service")

    /// One of its own.
    public init() {
        queue.setSpecific(key: Self.key, value: true)
    }

    /// Whether this code runs on any of them.
    public static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    /// Runs a job on it.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
