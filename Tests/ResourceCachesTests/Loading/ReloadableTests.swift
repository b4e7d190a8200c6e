import CLinux
import Dispatch
import Synchronization
import TestSupport
import Testing

@testable import ResourceCaches

@Suite(.ownCaches)
struct ReloadableTests {
    private struct NotThere: Error, Equatable {}

    let reclaimer = Reclaimer.current
    let host = ReclaimingHost(.current)
    let loads = Counter()

    /// A value whose loader returns the number of the load, beginning with 1.
    private func numbers(cost: Int = 0) -> Reloadable<Int, Never> {
        let load = { @Sendable [loads] in
            loads.increment()
            return loads.value
        }
        return Reloadable("numbers", cost: { _ in cost }, load: load)
    }

    @Test("the first read loads, the next one does not, and the first read after a drop loads again (2.16)")
    func loadsAndDrops() {
        let numbers = numbers()
        #expect(!numbers.isLoaded)
        #expect(numbers.valueIfLoaded == nil)
        #expect(!numbers.drop())
        #expect(loads.value == 0)
        #expect(numbers.value() == 1)
        #expect(numbers.value() == 1)
        #expect(numbers.valueIfLoaded == 1)
        #expect(numbers.drop())
        #expect(numbers.valueIfLoaded == nil)
        #expect(numbers.value() == 2)
    }

    @Test("a warning drops the value and counts its cost, and a normal level does not (2.16)")
    func warning() {
        let numbers = numbers(cost: 40)
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning)) == 0)
        #expect(reclaimer.releasableBytes == 0)
        _ = numbers.value()
        #expect(reclaimer.releasableBytes == 40)
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .normal)) == 0)
        #expect(numbers.isLoaded)
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning)) == 40)
        #expect(!numbers.isLoaded)
        #expect(reclaimer.releasableBytes == 0)
        #expect(numbers.value() == 2)
    }

    /// A value of one mebibyte.
    private func bytes(cost: Int = 1 << 20) -> Reloadable<[UInt8], Never> {
        let load = { @Sendable [loads] in
            loads.increment()
            return [UInt8](repeating: UInt8(truncatingIfNeeded: loads.value), count: 1 << 20)
        }
        return Reloadable("bytes", cost: { _ in cost }, load: load)
    }

    private func reclaim(_ level: PressureLevel, wanted: UInt64 = 0) -> UInt64 {
        reclaimer.reclaim(for: ReclaimRequest(level: level, bytesWanted: wanted))
    }

    @Test("a value in use stays and counts nothing, so no second value ever exists beside it (2.16)")
    func inUse() async throws {
        let bytes = bytes()
        var used: [UInt8]? = bytes.value()
        #expect(reclaimer.releasableBytes == 0)
        #expect(reclaim(.critical) == 0)
        #expect(reclaim(.critical, wanted: 1 << 20) == 0)
        #expect(bytes.value() == used)
        #expect(loads.value == 1)
        bytes.withValue { _ in #expect(reclaim(.critical) == 0) }
        used = nil
        #expect(reclaimer.releasableBytes == 1 << 20)
        #expect(reclaim(.critical) == 1 << 20)

        let (made, ended) = (Counter(), Counter())
        let make = { @Sendable in
            made.increment()
            return LastWords { ended.increment() }
        }
        let object = AsyncReloadable("object", cost: { _ in 40 }, load: make)
        let words = try await object.value()
        #expect(reclaim(.critical, wanted: 40) == 0)
        #expect(try await object.value() === words)
        #expect(made.value == 1)
    }

    @Test("a value whose use cannot be detected is dropped and counted")
    func inUseUnseen() {
        let load = { @Sendable in String(repeating: "x", count: 100) }
        let text = Reloadable("text", cost: \.utf8.count, load: load)
        let used = text.value()
        #expect(reclaim(.warning) == 100)
        #expect(text.value() == used)
    }

    @Test("a simulation that repeats its level keeps a value loaded since, and a separate simulation drops it (2.16)")
    func repeatedSimulation() {
        let numbers = numbers(cost: 40)
        let steps: [(level: PressureLevel, isRepeat: Bool, given: UInt64)] = [
            (.warning, false, 40), (.warning, true, 0), (.critical, false, 40), (.critical, true, 0),
            (.critical, true, 0), (.warning, false, 40), (.warning, false, 40),
        ]
        for (step, (level, isRepeat, given)) in steps.enumerated() {
            _ = numbers.value()
            #expect(reclaimer.reclaim(for: ReclaimRequest(level: level, isRepeat: isRepeat)) == given, "step \(step)")
            reclaimer.pressureDidEnd()
        }
    }

    @Test("a value that was in use at a simulation is dropped at the simulation's repetition (2.16)")
    func usedAtSimulation() {
        let bytes = bytes()
        withExtendedLifetime(bytes.value()) { #expect(reclaim(.warning) == 0) }
        reclaimer.pressureDidEnd()
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning, isRepeat: true)) == 1 << 20)
    }

    @Test("if a number of bytes is wanted, a value is dropped if its part of them is not 0")
    func bytesWanted() {
        let first = bytes(cost: 100)
        let second = bytes(cost: 100)
        let free = bytes(cost: 0)
        for each in [first, second, free] { _ = each.value() }
        #expect(reclaim(.warning, wanted: 60) == 100)
        #expect([first, second, free].map(\.isLoaded) == [false, true, true], "the first gave more than its part")
        #expect(reclaim(.warning, wanted: 60) == 100)
        #expect([first, second, free].map(\.isLoaded) == [false, false, true])
        #expect(reclaim(.warning, wanted: 60) == 0)
    }

    /// Passes a warning that is not simulated, as from a host, and returns the bytes given.
    private func pass(_ level: PressureLevel, wanted: UInt64 = 0) -> UInt64 {
        defer { host.settle(at: level) }
        let request = ReclaimRequest(level: level, bytesWanted: wanted, isSimulated: false)
        return host.reclaim(for: request, alreadyReleased: 0).droppedBytes
    }

    @Test("while a level lasts, a dropped value is loaded again once, and only a rise or wanted bytes drop it again")
    func lastingLevel() {
        let bytes = bytes(cost: 40)
        func goes(_ level: PressureLevel, wanted: UInt64 = 0) -> Bool {
            _ = bytes.value()
            return pass(level, wanted: wanted) == 40
        }
        #expect(goes(.critical))
        for level in [.critical, .critical, .warning, .warning] as [PressureLevel] { #expect(!goes(level)) }
        #expect(loads.value == 2)
        #expect(goes(.critical), "it rises from a warning")
        #expect(!goes(.critical))
        #expect(goes(.critical, wanted: 1))
        #expect(!goes(.critical))
        host.settle(at: .normal)
        #expect(goes(.warning))
        #expect(!goes(.warning))
        #expect(goes(.critical))
    }

    @Test("a value that was loaded after a fall is dropped when the level rises again, also from a warning")
    func secondRise() {
        let bytes = bytes(cost: 40)
        _ = bytes.value()
        #expect(pass(.critical) == 40)
        host.settle(at: .warning)
        _ = bytes.value()
        #expect(pass(.critical) == 40)
    }

    @Test("a simulation during pressure is a rise of its own, and the level that lasts is not")
    func simulationDuringPressure() {
        let bytes = bytes(cost: 40)
        func simulates(_ level: PressureLevel) -> Bool {
            _ = bytes.value()
            return reclaimer.reclaim(for: ReclaimRequest(level: level)) == 40
        }
        _ = bytes.value()
        #expect(pass(.warning) == 40)
        #expect(simulates(.warning))
        #expect(simulates(.warning))
        #expect(simulates(.critical))
        _ = bytes.value()
        #expect(pass(.warning) == 0, "it lasts")
        #expect(pass(.critical) == 40, "it rises")
    }

    @Test("a value that an ended scope leaves behind is dropped at the next rise")
    func leftByAScope() {
        let value = ResourceTesting.scope { scope in
            let value = bytes(cost: 40)
            for _ in 0..<5 {
                _ = value.value()
                #expect(scope.simulateMemoryWarning() == 40)
            }
            _ = value.value()
            return value
        }
        #expect(reclaim(.warning) == 40)
        withExtendedLifetime(value) {}
    }

    @Test("a reload counts as a load, and a value in use at the start of a level is dropped when the level repeats")
    func lastingLevelOfOthers() {
        let bytes = bytes(cost: 40)
        do {
            let used = bytes.value()
            #expect(pass(.warning) == 0)
            withExtendedLifetime(used) {}
        }
        #expect(pass(.warning) == 40)
        bytes.reload()
        #expect(pass(.warning) == 0)
    }

    @Test("a loader that fails stores nothing, and the next read loads again")
    func failing() {
        let fails = Atomic(true)
        let value = Reloadable("value") { () throws(NotThere) -> Int in
            if fails.load(ordering: .relaxed) { throw NotThere() }
            return 7
        }
        #expect(throws: NotThere()) { try value.value() }
        #expect(!value.isLoaded)
        fails.store(false, ordering: .relaxed)
        #expect((try? value.value()) == 7)
        fails.store(true, ordering: .relaxed)
        #expect(throws: NotThere()) { try value.reload() }
        #expect(value.valueIfLoaded == 7, "a reload that fails leaves the old value")
    }

    @Test("threads that miss at the same time wait for one load")
    func threads() async {
        let value = Box<Int, Never>()
        value.reloadable = Reloadable("value") { [loads, unowned value] in
            value.awaitWaiters(7)
            loads.increment()
            return 7
        }
        #expect(await onThreads(8) { value.reloadable?.value() } == Array(repeating: 7, count: 8))
        #expect(loads.value == 1)
    }

    @Test("threads that wait for a failing load get its error")
    func threadsOfFailure() async {
        let value = Box<Int, NotThere>()
        value.reloadable = Reloadable("value") {
            [loads, unowned value] () throws(NotThere) -> Int in
            value.awaitWaiters(3)
            loads.increment()
            throw NotThere()
        }
        let errors = await onThreads(4) { () -> NotThere? in
            do throws(NotThere) {
                _ = try value.reloadable?.value()
                return nil
            } catch {
                return error
            }
        }
        #expect(errors == Array(repeating: NotThere(), count: 4))
        #expect(loads.value == 1)
    }

    @Test("tasks and threads that miss at the same time wait for one load, and waiting tasks block no threads")
    func tasksAndThreads() async throws {
        let value = Box<Int, Never>()
        value.reloadable = Reloadable("value") { [loads, unowned value] in
            value.awaitWaiters(104)
            loads.increment()
            return 7
        }
        async let threads = onThreads(5) { value.reloadable?.value() }
        await value.awaitFlight()
        let sum = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<100 { group.addTask { try await value.reloadable?.load() } }
            return try await group.reduce(0) { $0 + ($1 ?? 0) }
        }
        #expect(sum == 700)
        #expect(await threads == Array(repeating: 7, count: 5))
        #expect(loads.value == 1)
    }

    @Test("a drop during a load does not affect the load (2.18)")
    func dropDuringLoad() {
        let value = Box<Int, Never>()
        value.reloadable = Reloadable("value") { [reclaimer, unowned value] in
            #expect(value.reloadable?.drop() == false)
            #expect(reclaimer.reclaim(for: ReclaimRequest(level: .critical)) == 0)
            return 7
        }
        #expect(value.reloadable?.value() == 7)
        #expect(value.reloadable?.isLoaded == true)
    }

    @Test("a reload replaces the value for readers when it has loaded, and results of older loads are dropped")
    func reload() {
        let value = Box<Int, Never>()
        value.reloadable = Reloadable("value") { [loads, unowned value] in
            loads.increment()
            let number = loads.value
            switch number {
            case 2: #expect(value.reloadable?.value() == 1)
            // In the middle of the third load, whose result is dropped when it arrives.
            case 3:
                #expect(value.reloadable?.reload() == 4)
                value.reloadable?.drop()
            default: break
            }
            return number
        }
        #expect(value.reloadable?.value() == 1)
        #expect(value.reloadable?.reload() == 2)
        #expect(value.reloadable?.valueIfLoaded == 2)
        value.reloadable?.drop()
        #expect(value.reloadable?.value() == 3)
        #expect(value.reloadable?.isLoaded == false)
    }

    @Test("every value is destroyed once: when it is dropped or replaced, or with its owner")
    func endings() {
        let ended = Counter()
        weak var owner: Reloadable<LastWords, Never>?
        do {
            let words = Reloadable("words") { LastWords { ended.increment() } }
            owner = words
            _ = words.value()
            words.drop()
            #expect(ended.value == 1)
            words.reload()
            words.reload()
            #expect(ended.value == 2)
            words.withValue { value in
                words.drop()
                #expect(ended.value == 2)
                withExtendedLifetime(value) {}
            }
            #expect(ended.value == 2 + 1)
            _ = words.value()
        }
        #expect(ended.value == 4)
        #expect(owner == nil)
    }

    @Test("the destructor of a value may use the reloadable that held it")
    func endingOutsideTheLock() {
        let value = Box<LastWords, Never>()
        let seen = Counter()
        value.reloadable = Reloadable("words") { [unowned value] in
            LastWords { [unowned value] in
                if value.reloadable?.isLoaded == true { seen.increment() }
            }
        }
        value.reloadable?.reload()
        value.reloadable?.reload()
        #expect(seen.value == 1)
        value.reloadable?.drop()
        #expect(seen.value == 1)
    }

    @Test("a loader that reads its own value traps")
    func recursion() async {
        await #expect(processExitsWith: .failure) {
            let value = Box<Int, Never>()
            // The recursion ends by itself if nothing traps.
            let depth = Counter()
            value.reloadable = Reloadable("value") { [unowned value] in
                depth.increment()
                return depth.value < 10 ? value.reloadable?.value() ?? 0 : 0
            }
            _ = value.reloadable?.value()
        }
    }

    @Test(
        "several threads at once leave nothing behind",
        .disabled(if: isUnderThreadSanitizer, "the thread sanitizer does not see a contended Mutex change hands")
    )
    func hammering() async {
        let (made, ended) = (Counter(), Counter())
        do {
            let words = Reloadable("words") {
                made.increment()
                return LastWords { ended.increment() }
            }
            await withTaskGroup(of: Void.self) { group in
                for seed in 1...4 as ClosedRange<UInt64> {
                    group.addTask {
                        var generator = SeededGenerator(seed: seed)
                        for _ in 0..<5_000 {
                            switch Int.random(in: 0..<8, using: &generator) {
                            case 0: words.drop()
                            case 1: words.reload()
                            case 2: _ = try? await words.load()
                            case 3: await cancelled { _ = try await words.load() }
                            default: _ = words.value()
                            }
                        }
                    }
                }
            }
            #expect(words.slot.state.withLock { $0.flight == nil })
        }
        #expect(made.value > 100)
        #expect(made.value == ended.value)
    }
}

/// Runs `body` in a task that is cancelled.
///
/// The task returns no value, which would live as long as the task does.
private func cancelled(_ body: @escaping @Sendable () async throws -> Void) async {
    let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await body()
    }
    _ = await task.result
}

/// Makes a reloadable value accessible to its own loader.
private final class Box<Value: Sendable, Failure: Error>: Sendable {
    private let content = Locked<Reloadable<Value, Failure>?>(nil)

    var reloadable: Reloadable<Value, Failure>? {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }

    private var waiterCount: Int? { reloadable?.slot.state.withLock { $0.flight?.waiterCount } }

    /// Returns when that number of readers wait for the load.
    func awaitWaiters(_ count: Int) {
        while waiterCount != count { sched_yield() }
    }

    /// Returns when a load is under way.
    func awaitFlight() async {
        while waiterCount == nil { await Task.yield() }
    }
}

/// Runs `body` that number of times at once, each on its own thread.
private func onThreads<Value: Sendable>(_ count: Int, _ body: @escaping @Sendable () -> Value) async -> [Value] {
    await withTaskGroup(of: Value.self) { group in
        for index in 0..<count {
            group.addTask {
                await withCheckedContinuation { continuation in
                    DispatchQueue(label: "thread \(index)").async { continuation.resume(returning: body()) }
                }
            }
        }
        return await group.reduce(into: []) { $0.append($1) }
    }
}
