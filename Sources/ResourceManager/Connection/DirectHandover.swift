/// Runs a task's jobs on the thread that makes them ready, until the task changes to an actor.
///
/// Swift resumes a continuation on a thread of its pool, and changes to the task's actor from there. A task with this
/// preference changes to its actor on the resuming thread: an event wakes one thread instead of two, and a pool whose
/// threads are all busy does not delay it.
///
/// Only for tasks of the main actor. An actor without an executor of its own uses the task's preference, and would call
/// the service's code on the thread that receives packets; nothing distinguishes this actor from others.
final class DirectHandover: TaskExecutor {
    private static let shared = DirectHandover()

    func enqueue(_ job: consuming ExecutorJob) {
        job.runSynchronously(on: asUnownedTaskExecutor())
    }

    /// The preference of a task in `isolation`; `nil` if it is not the main actor's.
    static func preference(in isolation: (any Actor)?) -> DirectHandover? {
        isolation === MainActor.shared ? shared : nil
    }
}
