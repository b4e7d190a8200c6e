import TestSupport
import Testing

@testable import ResourceCaches

@Suite(.ownCaches)
struct AsyncReloadableTests {
    private struct NotThere: Error {}

    let reclaimer = Reclaimer.current
    let loads = Counter()

    /// A value whose loader returns the number of the load, after it has called `during`.
    private func numbers(
        during: @escaping @Sendable (AsyncReloadable<Int>, Int) async throws -> Void = { _, _ in }
    ) -> AsyncReloadable<Int> {
        let owner = Owner()
        let load = { @Sendable [loads] in
            loads.increment()
            let number = loads.value
            if let numbers = owner.numbers { try await during(numbers, number) }
            return number
        }
        let numbers = AsyncReloadable("numbers", cost: { _ in 40 }, load: load)
        owner.numbers = numbers
        return numbers
    }

    @Test("the first read loads, the next one does not, and the first read after a warning loads again (2.16)")
    func loadsAndDrops() async throws {
        let numbers = numbers()
        #expect(!numbers.isLoaded)
        #expect(try await numbers.value() == 1)
        #expect(try await numbers.value() == 1)
        #expect(numbers.valueIfLoaded == 1)
        #expect(reclaimer.releasableBytes == 40)
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning)) == 40)
        #expect(numbers.valueIfLoaded == nil)
        #expect(try await numbers.value() == 2)
        #expect(numbers.drop())
        #expect(!numbers.drop())
    }

    @Test("a thousand tasks that miss at the same time wait for one load")
    func thousand() async throws {
        let numbers = numbers { numbers, _ in await numbers.haveWaiters(999) }
        let sum = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<1000 { group.addTask { try await numbers.value() } }
            return try await group.reduce(0, +)
        }
        #expect(sum == 1000)
        #expect(loads.value == 1)
    }

    @Test("if the loading task is cancelled, one of the waiting tasks loads again for all")
    func cancelledLeader() async throws {
        let numbers = numbers { numbers, number in
            await numbers.haveWaiters(number == 1 ? 10 : 9)
            if number > 1 { return }
            withUnsafeCurrentTask { $0?.cancel() }
            try Task.checkCancellation()
        }
        let leader = Task { try await numbers.value() }
        await numbers.haveWaiters(0)
        let others = (0..<10).map { _ in Task { try await numbers.value() } }
        await #expect(throws: CancellationError.self) { try await leader.value }
        for other in others { #expect(try await other.value == 2) }
        #expect(loads.value == 2)
    }

    @Test("if the loading task is cancelled and no task waits, the next read loads")
    func cancelledAlone() async throws {
        let numbers = numbers { _, number in if number == 1 { throw CancellationError() } }
        let leader = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await numbers.value()
        }
        await #expect(throws: CancellationError.self) { try await leader.value }
        #expect(try await numbers.value() == 2)
    }

    @Test("a waiting task that is cancelled leaves at once, and the load continues")
    func cancelledWaiter() async throws {
        let mayGoOn = EventStream<Void>()
        let numbers = numbers { _, _ in _ = await mayGoOn.next() }
        let leader = Task { try await numbers.value() }
        await numbers.haveWaiters(0)
        let waiter = Task { try await numbers.value() }
        await numbers.haveWaiters(1)
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
        mayGoOn.send(())
        #expect(try await leader.value == 1)
    }

    @Test("all tasks that wait for a failing load get its error, and the next read loads again")
    func failing() async throws {
        let numbers = numbers { numbers, number in
            guard number == 1 else { return }
            await numbers.haveWaiters(9)
            throw NotThere()
        }
        let readers = (0..<10).map { _ in Task { try await numbers.value() } }
        for reader in readers { await #expect(throws: NotThere.self) { try await reader.value } }
        #expect(loads.value == 1)
        #expect(!numbers.isLoaded)
        #expect(try await numbers.value() == 2)
    }

    @Test("a drop during a load does not affect the load (2.18)")
    func dropDuringLoad() async throws {
        let numbers = numbers { numbers, _ in #expect(!numbers.drop()) }
        #expect(try await numbers.value() == 1)
        #expect(numbers.isLoaded)
    }

    @Test("during a reload readers get the old value, which stays permanently if the reload fails")
    func reload() async throws {
        let numbers = numbers { numbers, number in
            if number > 1 { #expect(try await numbers.value() == number - 1) }
            if number == 3 { throw NotThere() }
        }
        #expect(try await numbers.value() == 1)
        #expect(try await numbers.reload() == 2)
        await #expect(throws: NotThere.self) { try await numbers.reload() }
        #expect(numbers.valueIfLoaded == 2)
    }

    @Test("the loader runs in the task that came first, with its task-local values")
    func ownTask() async throws {
        let numbers = numbers { _, _ in #expect(Request.name == "first") }
        try await Request.$name.withValue("first") { _ = try await numbers.value() }
        #expect(loads.value == 1)
    }

    @Test("a loader that reads its own value gets an error, also in a child task", arguments: [true, false])
    func recursion(isChild: Bool) async {
        let numbers = numbers { numbers, _ in
            async let child = isChild ? numbers.value() : 0
            _ = try await (child, isChild ? 0 : numbers.value())
        }
        await #expect(throws: CacheLoadError.circular) { try await numbers.value() }
        #expect(loads.value == 1)
    }
}

private enum Request {
    @TaskLocal static var name = "none"
}

/// Gives a loader access to the value that it loads, without keeping the value alive.
private final class Owner: Sendable {
    private struct Reference {
        weak var numbers: AsyncReloadable<Int>?
    }

    private let reference = Locked(Reference())

    var numbers: AsyncReloadable<Int>? {
        get { reference.withLock { $0.numbers } }
        set { reference.withLock { $0.numbers = newValue } }
    }
}

extension AsyncReloadable {
    /// Returns when a load is under way and that number of tasks wait for it.
    fileprivate func haveWaiters(_ count: Int) async {
        while slot.state.withLock({ $0.flight?.waiterCount }) != count { await Task.yield() }
    }
}
