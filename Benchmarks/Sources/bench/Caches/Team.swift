internal import CBench
internal import Foundation
internal import Synchronization

/// Threads that begin at the same time, each on its own processor if there are enough.
enum Team {
    /// Runs a body on that number of threads at once, and returns their results once all threads have finished.
    static func run<Result: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) -> Result) -> [Result] {
        let meeting = Meeting<Result>(count)
        for number in 0..<count {
            Thread.detachNewThread {
                bench_pin(CInt(number))
                meeting.await()
                meeting.leave(number, with: body(number))
            }
        }
        return meeting.results()
    }
}

private final class Meeting<Result: Sendable>: Sendable {
    private let count: Int
    private let arrived = Atomic(0)
    private let parts = Mutex<[Int: Result]>([:])
    private let left = DispatchSemaphore(value: 0)

    init(_ count: Int) {
        self.count = count
    }

    /// Spins until all threads have arrived, so that no thread has to be woken.
    func await() {
        arrived.add(1, ordering: .acquiringAndReleasing)
        while arrived.load(ordering: .acquiring) < count {}
    }

    func leave(_ number: Int, with result: Result) {
        parts.withLock { $0[number] = result }
        left.signal()
    }

    func results() -> [Result] {
        for _ in 0..<count { left.wait() }
        return parts.withLock { parts in parts.sorted { $0.key < $1.key }.map(\.value) }
    }
}
