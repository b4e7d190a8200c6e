import CLinux
import Dispatch
import TestSupport
import Testing

@testable import ResourceCaches

/// A thread that leads while a test's thread waits.
private let otherThread: pthread_t = 1

struct FlightTests {
    private struct NotThere: Error {}

    /// Owns a flight; the tests themselves play its leader.
    private final class Owner: Sendable {
        let flight: Guarded<Flight<Int>>
        let joined = EventStream<Void>()

        init(_ load: LoadUnderWay = LoadUnderWay()) {
            flight = Guarded(Flight(load, leader: otherThread))
        }

        func turn() async throws -> Flight<Int>.Turn {
            try await Flight.turn { id, continuation in
                let outcome = flight.withLock { $0.wait(id, continuation) }
                joined.send(())
                return outcome
            } cancel: { id in
                flight.withLock { $0.cancel(id) }
            }
        }

        /// Makes a task that waits for the flight.
        func waitingTask() async -> Task<Flight<Int>.Turn, any Error> {
            let task = Task { try await turn() }
            _ = await joined.next()
            return task
        }

        func handOver() {
            let (next, load) = flight.withLock { ($0.handOver(), $0.load) }
            next?.wake(.success(.lead(load)))
        }

        func land(_ outcome: Flight<Int>.Outcome) {
            flight.withLock { $0.land() }.wake(outcome)
        }
    }

    @Test("all waiting tasks and threads get the leader's outcome", arguments: [true, false])
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

    @Test("a flight is handed over to the waiters in order of arrival, threads before tasks, until no waiter is left")
    func handingOver() async throws {
        let owner = Owner()
        let tasks = [await owner.waitingTask(), await owner.waitingTask()]
        let gate = try #require(owner.flight.withLock { $0.wait() })

        owner.handOver()
        #expect(try gate.wait().get().isLead)
        #expect(owner.flight.withLock { $0.leader != nil && $0.waiterCount == 2 })

        owner.handOver()
        #expect(try await tasks[0].value.isLead)
        #expect(owner.flight.withLock { $0.leader == nil && $0.waiterCount == 1 })

        owner.handOver()
        #expect(try await tasks[1].value.isLead)
        #expect(owner.flight.withLock { $0.handOver() == nil })
    }

    @Test("a thread does not wait for a task, which may need the thread")
    func threadAndTask() {
        var flight = Flight<Int>(LoadUnderWay(), leader: nil)
        #expect(flight.wait() == nil)
        flight.leader = otherThread
        #expect(flight.wait() != nil)
        flight.leader = pthread_self()
        #expect(flight.wait() == nil, "nor for itself, outside of its loader")
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

    @Test("a task that was cancelled before the wait does not wait")
    func cancelledBefore() async {
        let owner = Owner()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await owner.turn()
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(owner.flight.withLock { $0.waiterCount } == 0)
    }

    @Test("a late cancellation has no effect on the next flight")
    func cancelledTooLate() {
        var next = Flight<Int>(LoadUnderWay(), leader: otherThread)
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
            let load = LoadUnderWay()
            var flight = Flight<Int>(load, leader: otherThread)
            load.run { () throws(Never) in _ = flight.wait() }
        }
    }

    @Test("a leading task does not wait for itself, nor do its child tasks and the tasks that it creates")
    func ownTask() async throws {
        let load = LoadUnderWay()
        let owner = Owner(load)
        try await load.run {
            await #expect(throws: CacheLoadError.circular) { try await owner.turn() }
            await #expect(throws: CacheLoadError.circular) {
                async let child = owner.turn()
                _ = try await child
            }
            await #expect(throws: CacheLoadError.circular) { try await Task { try await owner.turn() }.value }
            try await LoadUnderWay().run {
                _ = await #expect(throws: CacheLoadError.circular) { try await owner.turn() }
            }
        }
        #expect(owner.flight.withLock { $0.waiterCount } == 0)
    }

    @Test("remaining tasks of a load that was handed over may wait for it")
    func remains() async throws {
        let load = LoadUnderWay()
        let owner = Owner(load)
        let next = await owner.waitingTask()
        let mayGoOn = EventStream<Void>()
        let remains = load.run { () throws(Never) in
            Task {
                _ = await mayGoOn.next()
                return try await owner.turn()
            }
        }
        owner.handOver()
        #expect(try await next.value.isLead)
        mayGoOn.send(())
        _ = await owner.joined.next()
        owner.land(.success(.value(7)))
        #expect(try await remains.value.isValue(7))
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
