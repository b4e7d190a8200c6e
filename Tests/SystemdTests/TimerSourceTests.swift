import Testing

@testable import Systemd

@Suite(.timeLimit(.minutes(1)))
struct TimerSourceTests {
    @Test func aTimerElapsesOnceAndNeverEarly() throws {
        let loop = try EventLoop()
        var elapsed: [Duration] = []
        let timer = try loop.timer(accuracy: .microseconds(1)) { elapsed.append(loop.now) }
        let end = try loop.timer(accuracy: .microseconds(1)) { loop.exit(code: 0) }
        let start = loop.now
        timer.arm(after: .milliseconds(5))
        end.arm(after: .milliseconds(20))
        #expect(try loop.runWithLimit() == 0)
        #expect(elapsed.count == 1)
        #expect(elapsed.allSatisfy { $0 - start >= .milliseconds(5) })
    }

    @Test func aTimerCanBeArmedAgainFromItsHandler() throws {
        let loop = try EventLoop()
        var calls = 0
        var timer: TimerSource?
        timer = try loop.timer(accuracy: .microseconds(1)) {
            calls += 1
            if calls == 3 { loop.exit(code: 0) } else { timer?.arm(after: .zero) }
        }
        timer?.arm(after: .zero)
        #expect(try loop.runWithLimit() == 0)
        #expect(calls == 3)
        timer = nil
    }

    @Test func aTimerThatIsNotArmedDoesNotElapse() throws {
        let loop = try EventLoop()
        var calls = 0
        let never = try loop.timer(accuracy: .microseconds(1)) { calls += 1 }
        let takenBack = try loop.timer(accuracy: .microseconds(1)) { calls += 1 }
        takenBack.arm(after: .zero)
        takenBack.disarm()
        let end = try loop.timer(accuracy: .microseconds(1)) { loop.exit(code: 0) }
        end.arm(after: .milliseconds(2))
        #expect(try withExtendedLifetime(never) { try loop.runWithLimit() } == 0)
        #expect(calls == 0)
    }

    @Test func anElapsedTimerCanStillBeDisarmed() throws {
        let loop = try EventLoop()
        var calls = 0
        let second = try loop.timer(accuracy: .microseconds(1)) { calls += 1 }
        let first = try loop.timer(accuracy: .microseconds(1), priority: .important) { second.disarm() }
        let end = try loop.deferred { loop.exit(code: 0) }
        first.arm(after: .zero)
        second.arm(after: .zero)
        end.schedule()
        #expect(try loop.runWithLimit() == 0)
        #expect(calls == 0)
    }

    @Test func armingAgainReplacesTheEarlierTime() throws {
        let loop = try EventLoop()
        let timer = try loop.timer(accuracy: .microseconds(1)) { loop.exit(code: 0) }
        timer.arm(after: .seconds(3600))
        timer.arm(after: .milliseconds(1))
        #expect(try loop.runWithLimit() == 0)
    }

    @Test func aDelayBeyondTheClockIsNever() throws {
        let loop = try EventLoop()
        var calls = 0
        let timer = try loop.timer(accuracy: .microseconds(1)) { calls += 1 }
        timer.arm(after: .seconds(Int64.max))
        let end = try loop.timer(accuracy: .microseconds(1)) { loop.exit(code: 0) }
        end.arm(after: .milliseconds(2))
        #expect(try loop.runWithLimit() == 0)
        #expect(calls == 0)
        timer.disarm()
    }

    @Test(
        "durations are rounded up to whole microseconds",
        arguments: [
            (.seconds(-1), 0),
            (.nanoseconds(-1), 0),
            (.zero, 0),
            (.nanoseconds(1), 1),
            (.microseconds(1), 1),
            (.nanoseconds(1001), 2),
            (.milliseconds(1500), 1_500_000),
            (.seconds(Int64.max), UInt64.max / 4),
        ] as [(Duration, UInt64)]
    )
    func microseconds(_ duration: Duration, _ expected: UInt64) {
        #expect(duration.wholeMicroseconds == expected)
    }

    @Test(arguments: [0, 1, 999_999, 1_000_001, 86_400_000_000] as [UInt64])
    func microsecondsSurviveTheConversionToDuration(_ microseconds: UInt64) {
        #expect(Duration(wholeMicroseconds: microseconds).wholeMicroseconds == microseconds)
    }
}
