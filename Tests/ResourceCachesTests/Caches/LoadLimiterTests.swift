import TestSupport
import Testing

@testable import ResourceCaches

// A load that waits in vain should fail the test, not hang it.
@Suite(.timeLimit(.minutes(1)))
struct LoadLimiterTests {
    /// A permit in a form that expectations and arrays can hold.
    private final class Permit {
        private var permit: LoadPermit?

        init?(_ limiter: LoadLimiter) {
            permit = limiter.tryAcquire(LoadUnderWay())
            if permit == nil { return nil }
        }

        func giveBack() {
            permit = nil
        }
    }

    /// The number of running loads, and their largest number so far.
    private final class Running: Sendable {
        private let counts = Locked((now: 0, most: 0))

        var most: Int { counts.withLock(\.most) }

        func begin() {
            counts.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        }

        func end() {
            counts.withLock { $0.now -= 1 }
        }
    }

    private let clock = ManualClock()
    private let trace = SharedTrace()

    /// A limiter under pressure.
    private func limiter(_ limit: Int) -> LoadLimiter {
        let limiter = LoadLimiter(limits: LoadLimits(atOnce: limit), clock: clock)
        limiter.pressureDidBegin()
        return limiter
    }

    /// Starts a load that ends as soon as it has begun.
    ///
    /// If it has to wait, it is in the queue when this function returns.
    private func load(_ name: String, _ priority: CachePriority, _ limiter: LoadLimiter) -> Task<Void, Never> {
        load(name, LoadUnderWay(priority), limiter)
    }

    private func load(_ name: String, _ load: LoadUnderWay, _ limiter: LoadLimiter) -> Task<Void, Never> {
        Task.immediate { [trace] in
            do {
                let permit = try await limiter.acquire(load)
                trace.record(name)
                _ = consume permit
            } catch {
                trace.record("\(name) cancelled")
            }
        }
    }

    /// Returns when all loads have ended.
    ///
    /// At the time limit they are cancelled.
    private func end(of loads: [Task<Void, Never>]) async {
        for load in loads { try? await load.valueInTime }
    }

    @Test("without pressure nothing is limited")
    func inactive() async {
        let limiter = LoadLimiter(limits: LoadLimits(atOnce: 1), clock: clock)
        let first = Permit(limiter)
        let second = Permit(limiter)
        #expect(first != nil && second != nil)
        await load("third", .prefetched, limiter).value
        #expect(trace.take() == ["third"])
        #expect(!limiter.isActive)
    }

    @Test("under pressure the number of permits is limited, and the end of a permit makes room")
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

    @Test("loads on screen come first, then loads off screen, then prefetches, each in order of arrival")
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
        await end(of: loads)
        #expect(trace.take() == ["on 1", "on 2", "off 1", "off 2", "ahead 1", "ahead 2"])
    }

    @Test("a cancelled load stops waiting, and the next one gets its turn")
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

    @Test("a load that was cancelled before the wait does not wait, but takes a free permit")
    func cancelledBefore() async {
        let limiter = limiter(1)
        let running = Permit(limiter)
        await Task { [trace] in
            withUnsafeCurrentTask { $0?.cancel() }
            await #expect(throws: CancellationError.self) { _ = try await limiter.acquire(LoadUnderWay(.onScreen)) }
            trace.record("done")
        }.value
        #expect(trace.take() == ["done"])
        running?.giveBack()
        await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await #expect(throws: Never.self) { _ = try await limiter.acquire(LoadUnderWay(.onScreen)) }
        }.value
    }

    @Test("20 s after the end of pressure all loads pass, including waiting ones, even if no load ends or begins")
    func aftermath() async {
        let limiter = limiter(1)
        let running = Permit(limiter)
        limiter.limits.countedFor = .seconds(10_000)
        let waiting = [load("first", .prefetched, limiter), load("second", .prefetched, limiter)]
        clock.advance(by: .seconds(1000))
        #expect(limiter.isActive, "no host has said that it is over")
        limiter.pressureDidEnd()
        clock.advance(by: .seconds(10))
        limiter.pressureDidEnd()
        clock.advance(by: .seconds(9))
        #expect(Permit(limiter) == nil)
        #expect(trace.take() == [])
        clock.advance(by: .seconds(1))
        await end(of: waiting)
        #expect(trace.take().sorted() == ["first", "second"])
        #expect(Permit(limiter) != nil)
        withExtendedLifetime(running) {}
    }

    @Test("a load that does not end counts for 30 s, then waiting loads continue, even if no load ends or begins")
    func overdue() async {
        let limiter = limiter(2)
        let endless = [Permit(limiter), Permit(limiter)]
        clock.advance(by: .seconds(20))
        let waiting = [load("first", .offScreen, limiter), load("second", .offScreen, limiter)]
        clock.advance(by: .milliseconds(9_999))
        #expect(Permit(limiter) == nil)
        #expect(trace.take() == [])
        clock.advance(by: .milliseconds(1))
        await end(of: waiting)
        #expect(trace.take().sorted() == ["first", "second"])
        let next = Permit(limiter)
        #expect(next != nil)
        // An overdue permit no longer counts, so its end makes no room.
        for permit in endless { permit?.giveBack() }
        let last = Permit(limiter)
        #expect(last != nil && Permit(limiter) == nil)
        withExtendedLifetime(next) {}
    }

    @Test("without waiting loads no task sleeps, and with waiting loads one task does")
    func alarm() async {
        let limiter = limiter(1)
        let running = Permit(limiter)
        #expect(clock.sleeperCount == 0)
        let waiting = (0..<5).map { load("\($0)", .offScreen, limiter) }
        await until { [clock] in clock.sleeperCount == 1 }
        for load in waiting.dropLast() { load.cancel() }
        await end(of: waiting.dropLast())
        #expect(clock.sleeperCount == 1)
        running?.giveBack()
        await end(of: waiting)
        await until { [clock] in clock.sleeperCount == 0 }
    }

    @Test("a load inside another load never waits, nor does a load that is joined inside another load")
    func inside() async {
        let limiter = limiter(1)
        let running = Permit(limiter)
        let outer = LoadUnderWay()
        outer.run { () throws(Never) in
            #expect(Permit(limiter) != nil)
            #expect(Permit(limiter) != nil)
        }
        #expect(Permit(limiter) == nil, "it has ended")
        let load = LoadUnderWay(.prefetched)
        let waiting = self.load("joined", load, limiter)
        #expect(trace.take() == [])
        LoadUnderWay().run { () throws(Never) in limiter.join(load, .prefetched) }
        await end(of: [waiting])
        let later = LoadUnderWay(.prefetched)
        LoadUnderWay().run { () throws(Never) in limiter.join(later, .prefetched) }
        await end(of: [self.load("joined before it waited", later, limiter)])
        #expect(trace.take() == ["joined", "joined before it waited"])
        withExtendedLifetime(running) {}
    }

    @Test("tasks that a loader has made belong to its load until the load has ended")
    func unstructured() async throws {
        let limiter = limiter(1)
        let running = Permit(limiter)
        let ended = EventStream<Void>()
        let (inside, outside) = try await LoadUnderWay().run {
            let inside = await Task { Permit(limiter) != nil }.value
            async let child = Permit(limiter) != nil
            #expect(await child)
            let outside = Task {
                _ = await ended.next()
                return Permit(limiter) != nil
            }
            return (inside, outside)
        }
        ended.send(())
        #expect(inside)
        #expect(await outside.value == false)
        withExtendedLifetime(running) {}
    }

    @Test("a joined load continues at the higher of the two priorities")
    func raised() async {
        let limiter = limiter(1)
        let running = Permit(limiter)
        let ahead = LoadUnderWay(.prefetched)
        let loads = [
            load("off", .offScreen, limiter), load("on", .onScreen, limiter), load("ahead", ahead, limiter),
        ]
        limiter.join(ahead, .onScreen)
        limiter.join(ahead, .offScreen)
        let late = LoadUnderWay(.prefetched)
        limiter.join(late, .onScreen)
        let last = load("late", late, limiter)
        running?.giveBack()
        await end(of: loads + [last])
        #expect(trace.take() == ["on", "ahead", "late", "off"])
    }

    @Test("a new limit applies to waiting loads")
    func settings() async {
        let limiter = limiter(1)
        var permits = [Permit(limiter)]
        let first = load("first", .offScreen, limiter)
        #expect(trace.take() == [])
        limiter.limits.atOnce = 2
        await end(of: [first])
        permits.append(Permit(limiter))
        #expect(Permit(limiter) == nil)
        limiter.limits.atOnce = 1
        permits.removeLast()
        #expect(Permit(limiter) == nil)
        let second = load("second", .offScreen, limiter)
        #expect(trace.take() == ["first"])
        limiter.limits.countedFor = .zero
        await end(of: [second])
        limiter.limits = .off
        permits += (0..<100).map { _ in Permit(limiter) }
        #expect(permits.allSatisfy { $0 != nil })
        #expect(trace.take() == ["second"])
    }

    @Test("a thousand waiting loads all continue when the limit is taken away")
    func takenAway() async {
        let limiter = limiter(1)
        let permit = Permit(limiter)
        let loads = (0..<1_000).map { load("\($0)", .offScreen, limiter) }
        #expect(trace.take() == [])
        limiter.limits = .off
        await end(of: loads)
        #expect(trace.take().count == 1_000)
        withExtendedLifetime(permit) {}
    }

    @Test("when pressure returns, the limit does not end at the earlier time")
    func again() {
        let limiter = limiter(1)
        limiter.pressureDidEnd()
        clock.advance(by: .seconds(19))
        limiter.pressureDidBegin()
        clock.advance(by: .seconds(100))
        #expect(limiter.isActive)
        limiter.pressureDidEnd()
        clock.advance(by: .seconds(20))
        #expect(!limiter.isActive)
        limiter.pressureDidEnd()
        #expect(!limiter.isActive, "what is over does not end again")
    }

    @Test(
        "of a thousand loads, some of them cancelled, never more than the limit run at once, and no permit is lost",
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
                    guard let permit = try? await limiter.acquire(LoadUnderWay(priority)) else {
                        return done.increment()
                    }
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

    @Test("background loads are delayed by up to 250 ms after pressure, and not at all without pressure")
    func jitter() {
        var generator = SeededGenerator(seed: 1)
        let limiter = LoadLimiter(limits: LoadLimits(atOnce: 1), clock: clock)
        #expect(limiter.backgroundJitter(using: &generator) == .zero)
        limiter.pressureDidBegin()
        let waits = (0..<1000).map { _ in limiter.backgroundJitter(using: &generator) }
        #expect(waits.allSatisfy { (.zero ... .milliseconds(250)).contains($0) })
        #expect(waits.contains { $0 < .milliseconds(10) } && waits.contains { $0 > .milliseconds(240) })
    }

    @Test("loads in service are more important than others, which are more important than prefetches")
    func priorities() {
        #expect(CachePriority.allCases.sorted() == [.prefetched, .offScreen, .onScreen])
    }
}
