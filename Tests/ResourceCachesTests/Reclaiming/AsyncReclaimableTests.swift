import Synchronization
import TestSupport
import Testing

@testable import ResourceCaches

/// A service's own cache on an actor, which may be busy.
private actor Library: AsyncReclaimable {
    private nonisolated let held: Atomic<Int>
    private let events: EventStream<String>
    private var gate: CheckedContinuation<Void, Never>?
    private var isOpen: Bool
    nonisolated let reclaimPriority: CachePriority
    nonisolated var reclaimableBytes: Int { held.load(ordering: .relaxed) }

    init(
        bytes: Int,
        priority: CachePriority = .offScreen,
        isBusy: Bool = false,
        _ events: EventStream<String> = EventStream()
    ) {
        held = Atomic(bytes)
        self.events = events
        isOpen = !isBusy
        reclaimPriority = priority
        registerForMemoryWarnings()
    }

    func reclaim(_ bytes: Int) async -> Int {
        events.send("reclaim(\(bytes))")
        if !isOpen { await withCheckedContinuation { gate = $0 } }
        held.subtract(bytes, ordering: .relaxed)
        return bytes
    }

    func pressureDidEnd() {
        events.send("end")
    }

    func open() {
        isOpen = true
        gate.take()?.resume()
    }
}

// A wait in vain should fail the test, not hang it.
@Suite(.ownCaches, .timeLimit(.minutes(1)))
struct AsyncReclaimableTests {
    private let reclaimer = Reclaimer.current
    private let events = EventStream<String>()
    private let trace = SharedTrace()

    /// Delivers a warning on the reclaimer's thread.
    ///
    /// It waits for actors only as long as necessary, and at most for `patience`.
    private func warn(
        _ level: PressureLevel = .warning,
        wanted: UInt64 = 0,
        patience: Duration = .seconds(60)
    ) async -> UInt64 {
        await withCheckedContinuation { continuation in
            reclaimer.perform { [reclaimer] in
                let request = ReclaimRequest(level: level, bytesWanted: wanted)
                continuation.resume(returning: reclaimer.reclaim(for: request, patience: patience))
            }
        }
    }

    private func cache(bytes: Int) -> FakeResponder {
        let cache = FakeResponder("cache", trace, bytes: bytes)
        reclaimer.register(cache)
        return cache
    }

    @Test("an actor gives its part at a warning, and the warning waits for it")
    func part() async {
        let library = Library(bytes: 300, events)
        let cache = cache(bytes: 100)
        #expect(reclaimer.releasableBytes == 400)
        #expect(await warn(wanted: 40) == 40)
        #expect(await events.next() == "reclaim(30)")
        #expect(trace.take() == ["cache.warning(10)=10"])
        #expect(await warn(.critical) == 243 + 81)
        #expect(await events.next() == "reclaim(243)")
        reclaimer.pressureDidEnd()
        #expect(await events.next() == "end")
        withExtendedLifetime((library, cache)) {}
    }

    @Test("an actor's prefetched bytes are requested first, and once")
    func fetchedAhead() async {
        let cache = cache(bytes: 100)
        let library = Library(bytes: 30, priority: .prefetched, events)
        #expect(await warn(wanted: 40) == 40)
        #expect(trace.take() == ["cache.warning(10)=10"])
        #expect(await warn(.warning) == 45)
        #expect(await events.next() == "reclaim(30)")
        #expect(await events.next() == "reclaim(0)")
        withExtendedLifetime((cache, library)) {}
    }

    @Test("a warning waits only up to its limit: other responders make up, and later bytes do not count")
    func busy() async {
        let library = Library(bytes: 100, isBusy: true, events)
        let cache = cache(bytes: 1000)
        #expect(await warn(wanted: 110, patience: .zero) == 110)
        #expect(await events.next() == "reclaim(10)")
        #expect(trace.take() == ["cache.warning(100)=100", "cache.warning(10)=10"])
        await library.open()
        reclaimer.pressureDidEnd()
        #expect(await events.next() == "end")
        #expect(library.reclaimableBytes == 90)
        #expect(await warn(wanted: 98) == 98)
        withExtendedLifetime(cache) {}
    }

    @Test("until its call has ended an actor is not asked or waited for again, and then gets only the newest request")
    func oneAtATime() async {
        let library = Library(bytes: 100, isBusy: true, events)
        #expect(await warn(patience: .zero) == 0)
        #expect(reclaimer.releasableBytes == 0)
        #expect(await warn(.critical) == 0, "in a minute's patience it would be too late")
        reclaimer.pressureDidEnd()
        #expect(await warn() == 0)
        reclaimer.pressureDidEnd()
        #expect(await events.next() == "reclaim(50)")
        await library.open()
        #expect(await events.next() == "end")
        await until { reclaimer.releasableBytes > 0 }
        #expect(await warn(.critical) == 45)
        #expect(await events.next() == "reclaim(45)")
    }

    @Test("of requests that wait for a busy actor the largest is made, and for no more than is left")
    func largestRequest() async {
        let library = Library(bytes: 100, isBusy: true, events)
        let calls = AsyncCalls()
        calls.put(.reclaim(50, of: 100), to: library)
        #expect(await events.next() == "reclaim(50)")
        for bytes in [90, 0] { calls.put(.reclaim(bytes, of: 100), to: library) }
        await library.open()
        #expect(await events.next() == "reclaim(50)", "that is all that it has left")
    }

    @Test("a warning waits for an actor that is still being told the end of the last one, unless that ends again")
    func afterTheEnd() async {
        actor Slow: AsyncReclaimable {
            let events: EventStream<String>
            private var gate: CheckedContinuation<Void, Never>?
            nonisolated var reclaimableBytes: Int { 100 }

            init(_ events: EventStream<String>) {
                self.events = events
                registerForMemoryWarnings()
            }

            func reclaim(_ bytes: Int) -> Int {
                events.send("reclaim(\(bytes))")
                return bytes
            }

            func pressureDidEnd() async {
                events.send("end")
                await withCheckedContinuation { gate = $0 }
            }

            func open() { gate.take()?.resume() }
        }
        let slow = Slow(events)
        reclaimer.pressureDidEnd()
        #expect(await events.next() == "end")
        #expect(reclaimer.releasableBytes == 100)
        async let given = warn(wanted: 60)
        await until { reclaimer.releasableBytes == 0 }
        await slow.open()
        #expect(await given == 60)
        #expect(await events.next() == "reclaim(60)")

        reclaimer.pressureDidEnd()
        #expect(await events.next() == "end")
        async let again = warn(wanted: 60)
        await until { reclaimer.releasableBytes == 0 }
        // It replaces the request, which the round then makes once more.
        reclaimer.pressureDidEnd()
        await until { reclaimer.releasableBytes == 0 }
        await slow.open()
        #expect(await again == 60)
        #expect(await events.next() == "reclaim(60)")
    }

    @Test("the allocator returns free pages after bytes that no round counts, and only then")
    func trimsLate() async {
        let trims = EventStream<String>()
        func called(_ library: Library, _ bytes: Int) -> AsyncCalls {
            let calls = AsyncCalls { trims.send("trim") }
            calls.put(.reclaim(bytes, of: 100), to: library)
            return calls
        }
        let library = Library(bytes: 100, isBusy: true, events)
        let calls = called(library, 30)
        #expect(await events.next() == "reclaim(30)")
        calls.put(.reclaim(20, of: 100), to: library)
        await library.open()
        #expect(await trims.next() == "trim", "after the call without a round")
        #expect(await trims.next() == "trim", "after the call that waited for it")

        let round = AsyncAnswers(patience: .seconds(600))
        let counted = AsyncCalls { trims.send("trim after an answer in time") }
        counted.put(.reclaim(10, of: 100), to: library, in: round)
        #expect(round.collect() == 10)
        let late = AsyncAnswers(patience: .zero)
        let busy = Library(bytes: 100, isBusy: true, events)
        let lateCalls = AsyncCalls { trims.send("trim after a late answer") }
        lateCalls.put(.reclaim(10, of: 100), to: busy, in: late)
        while await events.next() != "reclaim(10)" {}
        #expect(late.collect() == 0)
        await busy.open()
        #expect(await trims.next() == "trim after a late answer")
    }

    @Test("a blocking delivery asks actors without waiting: their part is not counted, and others are not asked for it")
    @MainActor
    func blocking() async {
        /// Lives on the actor whose thread is blocked.
        @MainActor final class Screen: AsyncReclaimable {
            let events: EventStream<String>
            nonisolated var reclaimableBytes: Int { 100 }

            init(_ events: EventStream<String>) {
                self.events = events
                registerForMemoryWarnings()
            }

            func reclaim(_ bytes: Int) -> Int {
                events.send("reclaim(\(bytes))")
                return bytes
            }
        }
        let screen = Screen(events)
        let cache = cache(bytes: 100)
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning, bytesWanted: 100)) == 50)
        #expect(trace.take() == ["cache.warning(50)=50"])
        #expect(await events.next() == "reclaim(50)")
        withExtendedLifetime((screen, cache)) {}
    }

    @Test("the bytes that an actor reports count up to its declared bytes, and never below 0")
    func claims() async {
        actor Boaster: AsyncReclaimable {
            let claim: Int
            nonisolated var reclaimableBytes: Int { 10 }

            init(_ claim: Int) {
                self.claim = claim
                registerForMemoryWarnings()
            }

            func reclaim(_ bytes: Int) -> Int { claim }
        }
        let (boaster, debtor) = (Boaster(.max), Boaster(-100))
        #expect(await warn() == 10)
        withExtendedLifetime((boaster, debtor)) {}
    }

    @Test("the registration does not keep the actor alive")
    func lifetime() async {
        weak var library: Library?
        do {
            let living = Library(bytes: 10)
            library = living
            #expect(reclaimer.releasableBytes == 10)
        }
        #expect(library == nil)
        #expect(await warn(.critical) == 0)
    }
}
