import CLinux
import Testing

@testable import Systemd

@Suite(.timeLimit(.minutes(1)))
struct EventLoopTests {
    @Test("run returns the code that a handler requested, and calls no other handler")
    func exitCode() throws {
        let loop = try EventLoop()
        var calledAfterExit = false
        let first = try loop.deferred(priority: .normal) { loop.exit(code: 3) }
        let second = try loop.deferred(priority: .idle) { calledAfterExit = true }
        first.schedule()
        second.schedule()
        #expect(try loop.runWithLimit() == 3)
        #expect(!calledAfterExit)
    }

    @Test func runReturnsAtOnceIfExitWasRequestedBefore() throws {
        let loop = try EventLoop()
        loop.exit(code: 1)
        loop.exit(code: 4)
        #expect(try loop.run() == 4)
    }

    @Test func aLoopRunsOnce() throws {
        let loop = try EventLoop()
        loop.exit(code: 0)
        _ = try loop.run()
        #expect(throws: SystemdError("run the event loop", errno: EBUSY)) { try loop.run() }
    }

    @Test func aLoopDoesNotRunInsideItself() throws {
        let loop = try EventLoop()
        var inner: SystemdError?
        let source = try loop.deferred {
            do { _ = try loop.run() } catch { inner = error as? SystemdError }
            loop.exit(code: 0)
        }
        source.schedule()
        #expect(try loop.runWithLimit() == 0)
        #expect(inner?.errno == EBUSY)
    }

    @Test("pending handlers are called by priority, and deferred work last")
    func priorities() throws {
        let loop = try EventLoop()
        let pipes = try [Pipe(), Pipe(), Pipe()]
        for pipe in pipes { pipe.write() }
        var order: [String] = []
        let later = try loop.deferred {
            order.append("deferred")
            loop.exit(code: 0)
        }
        later.schedule()
        let priorities: [(String, EventLoop.Priority)] = [
            ("normal", .normal), ("important", .important), ("between", .init(rawValue: -50)),
        ]
        let sources = try zip(pipes, priorities).map { pipe, named in
            try loop.watch(pipe.reader, for: .readable, priority: named.1) { _ in
                order.append(named.0)
                pipe.read()
            }
        }
        #expect(try withExtendedLifetime(sources) { try loop.runWithLimit() } == 0)
        #expect(order == ["important", "between", "normal", "deferred"])
    }

    @Test func deferredWorkRunsOnceHoweverOftenItWasScheduled() throws {
        let loop = try EventLoop()
        var calls = 0
        let work = try loop.deferred { calls += 1 }
        let end = try loop.deferred(priority: .init(rawValue: 200)) { loop.exit(code: 0) }
        work.schedule()
        work.schedule()
        end.schedule()
        #expect(try loop.runWithLimit() == 0)
        #expect(calls == 1)
    }

    @Test func deferredWorkThatWasNotScheduledDoesNotRun() throws {
        let loop = try EventLoop()
        var calls = 0
        let work = try loop.deferred { calls += 1 }
        let end = try loop.deferred(priority: .init(rawValue: 200)) { loop.exit(code: 0) }
        end.schedule()
        #expect(try withExtendedLifetime(work) { try loop.runWithLimit() } == 0)
        #expect(calls == 0)
    }

    @Test func deferredWorkMayScheduleItselfAgain() throws {
        let loop = try EventLoop()
        var calls = 0
        var work: DeferredSource?
        work = try loop.deferred {
            calls += 1
            if calls == 3 { loop.exit(code: 0) } else { work?.schedule() }
        }
        work?.schedule()
        #expect(try loop.runWithLimit() == 0)
        #expect(calls == 3)
        work = nil
    }

    @Test(
        "a signal arrives as an event, and is unblocked when its source is released",
        arguments: [SIGTERM, SIGINT, SIGHUP]
    )
    func signals(_ number: CInt) throws {
        let mask = SignalMask(unblocking: number)
        defer { mask.restore() }
        let loop = try EventLoop()
        var arrivals = 0
        var source: EventSource? = try loop.signal(number) {
            arrivals += 1
            loop.exit(code: 0)
        }
        #expect(SignalMask.blocks(number))
        raise(number)
        #expect(try withExtendedLifetime(source) { try loop.runWithLimit() } == 0)
        #expect(arrivals == 1)
        source = nil
        #expect(!SignalMask.blocks(number))
    }

    @Test func aSignalHasOneSource() throws {
        let loop = try EventLoop()
        let first = try loop.signal(SIGHUP) {}
        #expect(throws: SystemdError("wait for signal 1", errno: EBUSY)) { try loop.signal(SIGHUP) {} }
        withExtendedLifetime(first) {}
    }

    @Test func nowIsTheMonotonicClock() throws {
        var before = timespec()
        clock_gettime(CLOCK_MONOTONIC, &before)
        let now = try EventLoop().now
        var after = timespec()
        clock_gettime(CLOCK_MONOTONIC, &after)
        // The loop counts in whole microseconds.
        #expect(now >= .seconds(before.tv_sec) + .nanoseconds(before.tv_nsec) - .microseconds(1))
        #expect(now <= .seconds(after.tv_sec) + .nanoseconds(after.tv_nsec))
    }
}
