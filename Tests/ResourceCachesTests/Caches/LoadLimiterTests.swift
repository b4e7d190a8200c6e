import Synchronization
import TestSupport
import Testing

@testable import ResourceCaches

struct LoadLimiterTests {
    /// A permit in a shape that expectations and arrays can hold.
    private final class Permit {
        private var permit: LoadPermit?

        init?(_ limiter: LoadLimiter) {
            permit = limiter.tryAcquire()
            if permit == nil { return nil }
        }

        func giveBack() {
            permit = nil
        }
    }

    /// How many loads run, and how many ran at most.
    private final class Running: Sendable {
        private let counts = Mutex((now: 0, most: 0))

        var most: Int { counts.withLock(\.most) }

        func begin() {
            counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        }

        func end() {
            counts.withLock { $0.now -= 1 }
        }
    }

    private let time = ManualTime()
    private let trace = SharedTrace()

    /// A limiter under pressure.
    private func limiter(_ limit: Int) -> LoadLimiter {
        let limiter = LoadLimiter(limit: limit, now: time.read)
        limiter.pressureDidBegin()
        return limiter
    }

    /// A load that ends as soon as it has begun; if it has to wait, it stands in the queue when this returns.
    private func load(_ name: String, _ priority: CachePriority, _ limiter: LoadLimiter) -> Task<Void, Never> {
        Task.immediate { [trace] in
            do {
                let permit = try await limiter.acquire(priority)
                trace.record(name)
                _ = consume permit
            } catch {
                trace.record("\(name) cancelled")
            }
        }
    }

    @Test("without pressure nothing is limited")
    func inactive() async {
        let limiter = LoadLimiter(limit: 1, now: time.read)
        let first = Permit(limiter)
        let second = Permit(limiter)
        #expect(first != nil && second != nil)
        await load("third", .prefetched, limiter).value
        #expect(trace.take() == ["third"])
        #expect(!limiter.isActive)
    }

    @Test("under pressure only so many have a permit, and one that ends makes room")
    func limited() {
        let limiter = limiter(2)
        let first = Permit(limiter)
        let second = Permit(limiter)
        #expect(first != nil && second != nil)
        #expect(Permit(limiter) == nil)
        first?.giveBack()
        let third = Permit(limiter)
        #expect(third != nil)
        #expect(Permit(limiter) == nil)
        withExtendedLifetime((second, third)) {}
    }

    @Test("on screen comes first, then off screen, then what is fetched ahead; in order of arrival within each")
    func order() async {
        let limiter = limiter(1)
        let running = Permit(limiter)
        let loads = [
            load("ahead 1", .prefetched, limiter), load("off 1", .offScreen, limiter),
            load("on 1", .onScreen, limiter), load("ahead 2", .prefetched, limiter),
            load("on 2", .onScreen, limiter), load("off 2", .offScreen, limiter),
        ]
        #expect(trace.take() == [])
        running?.giveBack()
        for load in loads { await load.value }
        #expect(trace.take() == ["on 1", "on 2", "off 1", "off 2", "ahead 1", "ahead 2"])
    }

    @Test("who is cancelled waits no longer, and its turn is the next one's")
    func cancelled() async {
        let limiter = limiter(1)
        let running = Permit(limiter)
        let first = load("first", .onScreen, limiter)
        let second = load("second", .onScreen, limiter)
        first.cancel()
        await first.value
        #expect(trace.take() == ["first cancelled"])
        running?.giveBack()
        await second.value
        #expect(trace.take() == ["second"])
        #expect(Permit(limiter) != nil)
    }

    @Test("who is cancelled already does not wait, but takes a permit that is free")
    func cancelledBefore() async {
        let limiter = limiter(1)
        let running = Permit(limiter)
        await Task { [trace] in
            withUnsafeCurrentTask { $0?.cancel() }
            await #expect(throws: CancellationError.self) { _ = try await limiter.acquire(.onScreen) }
            trace.record("done")
        }.value
        #expect(trace.take() == ["done"])
        running?.giveBack()
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await #expect(throws: Never.self) { _ = try await limiter.acquire(.onScreen) }
        }.value
    }

    @Test("20 s after pressure new loads pass, and those that wait go with the next that ends")
    func aftermath() async {
        let limiter = limiter(1)
        let running = Permit(limiter)
        let waiting = [load("first", .prefetched, limiter), load("second", .prefetched, limiter)]
        time.advance(seconds: 1000)
        #expect(limiter.isActive, "nobody has said that it is over")
        limiter.pressureDidEnd()
        time.advance(seconds: 10)
        limiter.pressureDidEnd()
        time.advance(seconds: 9)
        #expect(Permit(limiter) == nil)
        time.advance(seconds: 1)
        #expect(Permit(limiter) != nil)
        #expect(trace.take() == [])
        running?.giveBack()
        for load in waiting { await load.value }
        #expect(trace.take().sorted() == ["first", "second"])
    }

    @Test("pressure that comes again is not over when the old time is")
    func again() {
        let limiter = limiter(1)
        limiter.pressureDidEnd()
        time.advance(seconds: 19)
        limiter.pressureDidBegin()
        time.advance(seconds: 100)
        #expect(limiter.isActive)
        limiter.pressureDidEnd()
        time.advance(seconds: 20)
        #expect(!limiter.isActive)
        limiter.pressureDidEnd()
        #expect(!limiter.isActive, "what is over does not end again")
    }

    @Test(
        "of a thousand loads, some of them cancelled, never more than so many run, and no permit is lost",
        .disabled(if: isUnderThreadSanitizer, "the thread sanitizer does not see a contended Mutex change hands")
    )
    func crowd() async {
        let limiter = limiter(3)
        let running = Running()
        let done = Counter()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<1000 {
                let priority = CachePriority.allCases[number % 3]
                group.addTask {
                    if number % 7 == 0 { withUnsafeCurrentTask { $0?.cancel() } }
                    guard let permit = try? await limiter.acquire(priority) else { return done.increment() }
                    running.begin()
                    await Task.yield()
                    running.end()
                    done.increment()
                    _ = consume permit
                }
            }
        }
        #expect(done.value == 1000)
        #expect((1...3).contains(running.most))
        let permits = (0..<4).map { _ in Permit(limiter) }
        #expect(permits.map { $0 != nil } == [true, true, true, false])
    }

    @Test("background loads are put off by up to 250 ms after pressure, and not at all without it")
    func jitter() {
        var generator = SeededGenerator(seed: 1)
        let limiter = LoadLimiter(limit: 1, now: time.read)
        #expect(limiter.backgroundJitter(using: &generator) == .zero)
        limiter.pressureDidBegin()
        let waits = (0..<1000).map { _ in limiter.backgroundJitter(using: &generator) }
        #expect(waits.allSatisfy { (.zero ... .milliseconds(250)).contains($0) })
        #expect(waits.contains { $0 < .milliseconds(10) } && waits.contains { $0 > .milliseconds(240) })
    }

    @Test("what is in service is more important than what is not, and that than what is fetched ahead")
    func priorities() {
        #expect(CachePriority.allCases.sorted() == [.prefetched, .offScreen, .onScreen])
    }
}
