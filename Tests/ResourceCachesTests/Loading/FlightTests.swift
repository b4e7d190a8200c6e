import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import ResourceCaches

struct FlightTests {
    private struct NotThere: Error {}

    /// Somebody who keeps a flight that nobody in these tests leads.
    private final class Owner: Sendable {
        let flight = Mutex(Flight<Int>(ledBy: .thread(0)))
        let joined = EventStream<Void>()

        func turn() async throws -> Flight<Int>.Turn {
            try await Flight.turn { id, continuation in
                flight.withLock { $0.wait(id, continuation) }
                joined.send(())
                return nil
            } cancel: { id in
                flight.withLock { $0.cancel(id) }
            }
        }

        /// A task that waits.
        func waitingTask() async -> Task<Flight<Int>.Turn, any Error> {
            let task = Task { try await turn() }
            _ = await joined.next()
            return task
        }

        func land(_ outcome: Flight<Int>.Outcome) {
            for waiter in flight.withLock({ $0.land() }) { waiter.wake(outcome) }
        }
    }

    @Test("all that wait get what the leader got, tasks and threads", arguments: [true, false])
    func landing(succeeds: Bool) async throws {
        let owner = Owner()
        let tasks = [await owner.waitingTask(), await owner.waitingTask()]
        let gate = try #require(owner.flight.withLock { $0.wait() })
        owner.land(succeeds ? .success(.value(7)) : .failure(NotThere()))
        for task in tasks {
            switch await task.result {
            case .success(.value(7)): #expect(succeeds)
            case .failure(let error): #expect(!succeeds && error is NotThere)
            default: Issue.record("neither the value nor the error")
            }
        }
        #expect((try? gate.wait().get()).isValue(7) == succeeds)
        #expect(owner.flight.withLock { $0.waiterCount } == 0)
    }

    @Test("a flight is handed over to those that wait, in order of arrival, threads before tasks, until nobody is left")
    func handingOver() async throws {
        let owner = Owner()
        let tasks = [await owner.waitingTask(), await owner.waitingTask()]
        let gate = try #require(owner.flight.withLock { $0.wait() })

        owner.flight.withLock { $0.handOver() }?.wake(.success(.lead))
        #expect(try gate.wait().get().isLead)
        #expect(owner.flight.withLock { $0.leader } == .currentThread)

        owner.flight.withLock { $0.handOver() }?.wake(.success(.lead))
        #expect(try await tasks[0].value.isLead)
        #expect(owner.flight.withLock { !$0.leader.isThread && $0.waiterCount == 1 })

        owner.flight.withLock { $0.handOver() }?.wake(.success(.lead))
        #expect(try await tasks[1].value.isLead)
        #expect(owner.flight.withLock { $0.handOver() == nil })
    }

    @Test("a thread does not wait for a task, which may need the thread")
    func threadAndTask() {
        var flight = Flight<Int>(ledBy: .task(0))
        #expect(flight.wait() == nil)
        flight.leader = .thread(0)
        #expect(flight.wait() != nil)
    }

    @Test("a task that is cancelled stops waiting at once, and the others do not")
    func cancelled() async throws {
        let owner = Owner()
        let cancelled = await owner.waitingTask()
        let other = await owner.waitingTask()
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(owner.flight.withLock { $0.waiterCount } == 1)
        owner.land(.success(.value(7)))
        #expect(try await other.value.isValue(7))
    }

    @Test("a task that was cancelled before it waits does not wait")
    func cancelledBefore() async {
        let owner = Owner()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await owner.turn()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(owner.flight.withLock { $0.waiterCount } == 0)
    }

    @Test("a cancellation that comes too late finds nobody in the next flight")
    func cancelledTooLate() {
        var next = Flight<Int>(ledBy: .thread(0))
        let late = FlightWaiterID()
        #expect(next.wait() != nil)
        #expect(next.cancel(late) == nil)
        #expect(next.waiterCount == 1)
    }

    @Test("a thread waits at a gate until another one opens it")
    func gate() {
        let gate = ThreadGate<Int>()
        DispatchQueue.global().async { gate.open(with: 7) }
        #expect(gate.wait() == 7)
    }

    @Test("a thread that leads and waits for itself traps")
    func ownThread() async {
        await #expect(processExitsWith: .failure) {
            var flight = Flight<Int>(ledBy: .currentThread)
            _ = flight.wait()
        }
    }

    @Test("a task that leads and waits for itself traps")
    func ownTask() async {
        await #expect(processExitsWith: .failure) {
            // Ends by itself if nothing traps.
            _ = try? await Flight<Int>.turn { id, continuation in
                var flight = Flight<Int>(ledBy: .currentTask)
                flight.wait(id, continuation)
                return .success(.lead)
            } cancel: { _ in
                nil
            }
        }
    }
}

extension Flight.Turn {
    fileprivate var isLead: Bool {
        if case .lead = self { true } else { false }
    }
}

extension Flight<Int>.Turn {
    fileprivate func isValue(_ value: Int) -> Bool {
        if case .value(value) = self { true } else { false }
    }
}

extension Flight<Int>.Turn? {
    fileprivate func isValue(_ value: Int) -> Bool { self?.isValue(value) ?? false }
}
