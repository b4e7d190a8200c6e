import TestSupport
import Testing

@testable import ResourceCaches

@Suite(.ownCaches)
struct ReclaimerTests {
    private typealias Responder = FakeResponder

    private let reclaimer = Reclaimer.current
    private let trace = SharedTrace()

    /// Registers the responders.
    ///
    /// The caller keeps them alive.
    private func register(_ responders: FakeResponder...) -> [FakeResponder] {
        for responder in responders { reclaimer.register(responder) }
        return responders
    }

    private func reclaim(_ level: PressureLevel, wanted: UInt64 = 0, released: UInt64 = 0) -> UInt64 {
        reclaimer.reclaim(for: ReclaimRequest(level: level, bytesWanted: wanted), alreadyReleased: released)
    }

    @Test("an object that is told the end of pressure late is told it last, whatever begins and ends meanwhile")
    func endLast() {
        /// Receives further warnings while it is told the end of one.
        final class Slow: ReclaimResponder {
            let reclaimer: Reclaimer
            let calls = SharedTrace()
            let rest = Locked(2)
            var releasableCost: Int { 10 }

            init(_ reclaimer: Reclaimer) { self.reclaimer = reclaimer }

            func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) { calls.record("reclaim") }

            func pressureDidEnd() {
                calls.record("end")
                guard rest.withLock({ $0 > 0 }) else { return }
                rest.withLock { $0 -= 1 }
                _ = reclaimer.reclaim(for: ReclaimRequest(level: .warning))
                reclaimer.pressureDidEnd()
            }
        }
        let slow = Slow(reclaimer)
        reclaimer.register(slow)
        _ = reclaim(.critical)
        reclaimer.pressureDidEnd()
        #expect(slow.calls.take().last == "end")
        reclaimer.loadLimiter.pressureDidEnd()
        withExtendedLifetime(slow) {}
    }

    @Test("an object of two caches counts once also if a second warning comes between them")
    func warningBetweenCaches() {
        /// Receives another warning during the first.
        final class Between: ReclaimResponder {
            let reclaimer: Reclaimer
            let given = Locked<UInt64?>(nil)
            var releasableCost: Int { 0 }

            init(_ reclaimer: Reclaimer) { self.reclaimer = reclaimer }

            func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) {
                guard given.withLock({ $0 == nil }) else { return }
                given.withLock { $0 = 0 }
                let bytes = reclaimer.reclaim(for: ReclaimRequest(level: .critical))
                given.withLock { $0 = bytes }
            }
        }
        final class Content: Sendable {
            let ends: SharedTrace
            init(_ ends: SharedTrace) { self.ends = ends }
            deinit { ends.record("end") }
        }
        let ends = SharedTrace()
        let first = ResourceCache<Int, Content>("first")
        let between = Between(reclaimer)
        reclaimer.register(between)
        let second = ResourceCache<Int, Content>("second")
        for key in 0..<100 {
            let content = Content(ends)
            for cache in [first, second] { cache.insert(content, for: key, cost: 10) }
        }
        let given = reclaim(.critical)
        let nested = between.given.withLock { $0 ?? 0 }
        #expect(nested > 0 && Int(given + nested) == ends.take().count * 10)
        #expect(first.count + second.count > 0)
    }

    @Test("responders answer in order of creation, and destroyed responders do not answer")
    func order() {
        var responders = register(
            Responder("a", trace, bytes: 10),
            Responder("b", trace, bytes: 10),
            Responder("c", trace, bytes: 10)
        )
        responders.remove(at: 1)
        #expect(reclaim(.critical) == 18)
        #expect(trace.take() == ["a.critical(rule)=9", "c.critical(rule)=9"])
        withExtendedLifetime(responders) {}
    }

    @Test("responders answer every warning that comes without a host")
    func eachTime() {
        let responders = register(Responder(bytes: 64))
        let answers = [0, 0, 7, 7, 8, 0].map { reclaimer.reclaim(for: ReclaimRequest(level: .warning, round: $0)) }
        #expect(answers == [32, 16, 8, 4, 2, 1])
        withExtendedLifetime(responders) {}
    }

    @Test("all responders first give their spare bytes, which count towards the level's share")
    func spareFirst() {
        let responders = register(
            Responder("a", trace, bytes: 100, spare: 20),
            Responder("b", trace, bytes: 100),
            Responder("c", trace, bytes: 100, spare: 70),
            Responder("d", trace, bytes: 0)
        )
        #expect(reclaim(.warning) == 150)
        #expect(
            trace.take() == [
                "a.spare(50)=20", "c.spare(50)=50",
                "a.warning(rule)=30", "b.warning(rule)=50", "c.warning(rule)=0", "d.warning(rule)=0",
            ]
        )
        #expect(responders.map(\.releasableCost) == [50, 50, 50, 0])
    }

    @Test("at a warning a wanted number of bytes replaces the share: spare bytes first, then each in proportion")
    func target() {
        let responders = register(
            Responder("a", trace, bytes: 110, spare: 10),
            Responder("b", trace, bytes: 300),
            Responder("c", trace, bytes: 0)
        )
        #expect(reclaim(.warning, wanted: 50) == 50)
        #expect(trace.take() == ["a.spare(50)=10", "a.warning(10)=10", "b.warning(30)=30", "c.warning(0)=0"])
        withExtendedLifetime(responders) {}
    }

    @Test("caches need not give the bytes that controllers have given, but still must not grow")
    func alreadyReleased() {
        let responders = register(Responder("a", trace, bytes: 100))
        #expect(reclaim(.warning, wanted: 50, released: 40) == 10)
        #expect(reclaim(.warning, wanted: 50, released: 51) == 0)
        #expect(trace.take() == ["a.warning(10)=10", "a.warning(0)=0"])
        withExtendedLifetime(responders) {}
    }

    @Test("other responders make up for one that gives less than its part, later or in a second turn")
    func stubborn() {
        let responders = register(
            Responder("a", trace, bytes: 100),
            Responder("b", trace, bytes: 100, givesAtMost: 5),
            Responder("c", trace, bytes: 100, givesAtMost: 40)
        )
        #expect(reclaim(.warning, wanted: 90) == 90)
        #expect(
            trace.take() == [
                "a.warning(30)=30", "b.warning(30)=5", "c.warning(55)=40",
                "a.warning(5)=5", "b.warning(7)=5", "c.warning(5)=5",
            ]
        )
        withExtendedLifetime(responders) {}
    }

    @Test("a responder that gives more than its part leaves less to the others")
    func generous() {
        let responders = register(
            Responder("a", trace, bytes: 100, givesAtLeast: 100),
            Responder("b", trace, bytes: 100)
        )
        #expect(reclaim(.warning, wanted: 120) == 120)
        #expect(trace.take() == ["a.warning(60)=100", "b.warning(20)=20"])
        withExtendedLifetime(responders) {}
    }

    @Test("at critical, the level's share is given, or the bytes wanted if more", arguments: [(100, 180), (190, 190)])
    func criticalTarget(wanted: UInt64, given: UInt64) {
        let responders = register(Responder(bytes: 150), Responder(bytes: 50))
        #expect(reclaim(.critical, wanted: wanted) == given)
        withExtendedLifetime(responders) {}
    }

    @Test("responders give exactly the bytes wanted, as far as they have any", arguments: 1...50 as ClosedRange<UInt64>)
    func exactly(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let responders = (0..<Int.random(in: 1...20, using: &generator)).map { _ in
            let bytes = Int.random(in: 0...1000, using: &generator)
            return Responder(bytes: bytes, spare: Int.random(in: 0...bytes, using: &generator))
        }
        for responder in responders { reclaimer.register(responder) }
        let held = reclaimer.releasableBytes
        let wanted = UInt64.random(in: 1...(held + 100), using: &generator)
        #expect(reclaim(.warning, wanted: wanted) == min(wanted, held))
        #expect(reclaimer.releasableBytes == held - min(wanted, held))
    }

    @Test("parts are right even if a product would overflow")
    func large() {
        let responders = register(Responder(bytes: .max / 4), Responder(bytes: .max / 2))
        #expect(reclaim(.warning, wanted: 3 << 60) == 3 << 60)
        #expect(responders.map { Double($0.releasableCost) / 0x1p60 } == [1, 2])
    }

    @Test(
        "responders are asked for costs whose sum would overflow, and give them, like others",
        arguments: [PressureLevel.warning, .critical]
    )
    func overflow(level: PressureLevel) {
        let responders = register(Responder(bytes: .max), Responder(bytes: .max), Responder(bytes: .max))
        #expect(reclaimer.releasableBytes == .max)
        #expect(reclaim(level, wanted: 1 << 20) >= 1 << 20)
        #expect(reclaim(level, wanted: .max) > 1 << 60)
        withExtendedLifetime(responders) {}
    }

    @Test("all responders are told of the return to normal, and give nothing")
    func normal() {
        let responders = register(Responder("a", trace, bytes: 5), Responder("b", trace, bytes: 5))
        #expect(reclaim(.normal) == 0)
        #expect(trace.take() == ["a.end", "b.end"])
        withExtendedLifetime(responders) {}
    }

    @Test("loads are limited before any value is dropped, and for some time after the end")
    func limiter() {
        let clock = ManualClock()
        let limiter = LoadLimiter(limits: LoadLimits(atOnce: 1), clock: clock)
        let reclaimer = Reclaimer(loadLimiter: limiter)
        #expect(!limiter.isActive)
        #expect(reclaimer.reclaim(for: ReclaimRequest(level: .warning)) == 0)
        #expect(limiter.isActive)
        reclaimer.pressureDidEnd()
        clock.advance(by: .seconds(19))
        #expect(limiter.isActive)
        clock.advance(by: .seconds(1))
        #expect(!limiter.isActive)
    }
}
