internal import Dispatch

/// A queue on which an actor can run; code can tell whether it runs on one.
public final class Queue: SerialExecutor {
    private static let key = DispatchSpecificKey<Bool>()
    private let queue = DispatchQueue(label: "service")

    /// Creates a queue.
    public init() {
        queue.setSpecific(key: Self.key, value: true)
    }

    /// Whether this code runs on any such queue.
    public static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }

    /// Runs a job on this queue.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
