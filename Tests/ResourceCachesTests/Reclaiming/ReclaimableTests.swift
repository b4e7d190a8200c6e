import TestSupport
import Testing

@testable import ResourceCaches

/// A service's own pool of buffers, registered as in any service.
private final class Pool: Reclaimable {
    private let bytes: Locked<Int>
    private let trace: SharedTrace
    private let name: String
    private let answer: @Sendable (Int) -> Int
    let reclaimPriority: CachePriority

    init(
        _ name: String = "",
        _ trace: SharedTrace = SharedTrace(),
        bytes: Int,
        priority: CachePriority = .offScreen,
        answer: @escaping @Sendable (Int) -> Int = { $0 }
    ) {
        self.bytes = Locked(bytes)
        self.trace = trace
        self.name = name
        self.answer = answer
        reclaimPriority = priority
        registerForMemoryWarnings()
    }

    var reclaimableBytes: Int { bytes.withLock(\.self) }

    func reclaim(_ bytes: Int) -> Int {
        trace.record("\(name).reclaim(\(bytes))")
        self.bytes.withLock { $0 -= bytes }
        return answer(bytes)
    }

    func pressureDidEnd() {
        trace.record("\(name).end")
    }
}

@Suite(.ownCaches)
struct ReclaimableTests {
    private let reclaimer = Reclaimer.current
    private let trace = SharedTrace()

    private func reclaim(_ level: PressureLevel, wanted: UInt64 = 0) -> UInt64 {
        reclaimer.reclaim(for: ReclaimRequest(level: level, bytesWanted: wanted))
    }

    @Test("a service's object is asked for the level's share of its declared bytes, and told when pressure ends")
    func byLevel() {
        let pool = Pool("pool", trace, bytes: 100)
        #expect(reclaimer.releasableBytes == 100)
        #expect(reclaim(.warning) == 50)
        #expect(reclaim(.critical) == 45)
        #expect(reclaim(.normal) == 0)
        #expect(trace.take() == ["pool.reclaim(50)", "pool.reclaim(45)", "pool.end"])
        #expect(pool.reclaimableBytes == 5)
    }

    @Test("if a number of bytes is wanted, the object is asked for its part, in order of registration (4.3)")
    func part() {
        let before = Pool("before", trace, bytes: 300)
        let cache = FakeResponder("cache", trace, bytes: 100)
        reclaimer.register(cache)
        let after = Pool("after", trace, bytes: 0)
        #expect(reclaim(.warning, wanted: 40) == 40)
        #expect(trace.take() == ["before.reclaim(30)", "cache.warning(10)=10", "after.reclaim(0)"])
        withExtendedLifetime((before, after)) {}
    }

    @Test(
        "the object is never asked for more than it declares, whatever number of bytes is wanted",
        arguments: [PressureLevel.warning, .critical]
    )
    func noMoreThanDeclared(level: PressureLevel) {
        let pool = Pool(bytes: 61_440)
        #expect(reclaim(level, wanted: 10_000_000) == 61_440)
        #expect(pool.reclaimableBytes == 0)
    }

    @Test("the object's prefetched bytes are requested before all others")
    func fetchedAhead() {
        let cache = FakeResponder("cache", trace, bytes: 100)
        reclaimer.register(cache)
        let ahead = Pool("ahead", trace, bytes: 30, priority: .prefetched)
        #expect(reclaim(.warning, wanted: 40) == 40)
        #expect(trace.take() == ["ahead.reclaim(30)", "cache.warning(10)=10", "ahead.reclaim(0)"])
        withExtendedLifetime(ahead) {}
    }

    @Test("spare bytes count towards the level's share of the same object")
    func fetchedAheadByLevel() {
        let ahead = Pool("ahead", trace, bytes: 100, priority: .prefetched)
        #expect(reclaim(.warning) == 50)
        #expect(trace.take() == ["ahead.reclaim(50)", "ahead.reclaim(0)"])
        withExtendedLifetime(ahead) {}
    }

    @Test("no warning takes bytes on screen")
    func onScreen() {
        let shown = Pool("shown", trace, bytes: 100, priority: .onScreen)
        #expect(reclaimer.releasableBytes == 0)
        #expect(reclaim(.critical, wanted: 50) == 0)
        #expect(trace.take() == ["shown.reclaim(0)"])
        withExtendedLifetime(shown) {}
    }

    @Test("the bytes that the object reports count up to its declared bytes, and never below 0")
    func claims() {
        let boaster = Pool(bytes: 10) { _ in .max }
        #expect(reclaim(.warning) == 10)
        let debtor = Pool(bytes: -7) { _ in -7 }
        #expect(reclaimer.releasableBytes == 5)
        #expect(reclaim(.warning, wanted: 1) == 5)
        withExtendedLifetime((boaster, debtor)) {}
    }

    @Test("the registration does not keep the object alive, and ends with it")
    func lifetime() {
        weak var pool: Pool?
        do {
            let living = Pool("pool", trace, bytes: 10)
            pool = living
            #expect(reclaimer.releasableBytes == 10)
        }
        #expect(pool == nil)
        #expect(reclaim(.critical) == 0)
        #expect(trace.take() == [])
    }

    @Test("an object that is destroyed during a warning is not asked, and others give its part")
    func destroyedMeanwhile() {
        let second = Locked<Pool?>(nil)
        let first = Pool("first", trace, bytes: 100) { given in
            second.withLock { $0.take() } == nil ? given : 0
        }
        second.withLock { [trace] in $0 = Pool("second", trace, bytes: 100) }
        let third = Pool("third", trace, bytes: 100)
        #expect(reclaim(.warning, wanted: 90) == 90)
        #expect(trace.take() == ["first.reclaim(30)", "third.reclaim(90)"])
        withExtendedLifetime((first, third)) {}
    }
}
