import CLinux
import Testing

@testable import Systemd

@Suite("Handles are registrations", .timeLimit(.minutes(1)))
struct EventSourceTests {
    enum Kind: CaseIterable {
        case descriptor
        case timer
        case signal
        case deferred
    }

    /// Holds handles as the daemon does.
    final class Owner {
        var sources: [Int: EventSource] = [:]
    }

    /// A source of this kind whose event is pending.
    private func pending(
        _ kind: Kind,
        on loop: EventLoop,
        _ pipe: Pipe,
        handler: @escaping () -> Void
    ) throws -> EventSource {
        switch kind {
        case .descriptor:
            pipe.write()
            return try loop.watch(pipe.reader, for: .readable) { _ in handler() }
        case .timer:
            let timer = try loop.timer(accuracy: .microseconds(1), handler: handler)
            timer.arm(after: .zero)
            return timer
        case .signal:
            let signal = try loop.signal(SIGHUP, handler: handler)
            raise(SIGHUP)
            return signal
        case .deferred:
            let deferred = try loop.deferred(priority: .normal, handler: handler)
            deferred.schedule()
            return deferred
        }
    }

    @Test("a source released by its own handler is destroyed, with the handler's captures", arguments: Kind.allCases)
    func droppedByItsOwnHandler(_ kind: Kind) throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        let owner = Owner()
        let releases = Releases()
        var calls = 0
        var releasedWhileRunning = 0

        func add(_ captured: Counted) throws {
            owner.sources[1] = try pending(kind, on: loop, pipe) { [unowned owner] in
                owner.sources[1] = nil
                calls += 1
                withExtendedLifetime(captured) { releasedWhileRunning = releases.count }
            }
        }
        try add(Counted(releases))
        #expect(releases.count == 0)

        // The pipe stays readable, so the loop would call the handler again if it still existed.
        let end = try loop.timer(accuracy: .microseconds(1), priority: .idle) { loop.exit(code: 0) }
        end.arm(after: .milliseconds(2))
        #expect(try loop.runWithLimit() == 0)
        #expect(calls == 1)
        #expect(releasedWhileRunning == 0)
        #expect(releases.count == 1)
    }

    @Test("a pending source released by another handler is not called", arguments: Kind.allCases)
    func droppedByAnotherHandler(_ kind: Kind) throws {
        let mask = SignalMask(blocking: SIGHUP)
        defer { mask.restore() }
        let loop = try EventLoop()
        let pipe = try Pipe()
        let owner = Owner()
        let releases = Releases()
        var calls = 0
        var releasedBeforeEnd = 0

        func add(_ captured: Counted) throws {
            owner.sources[1] = try pending(kind, on: loop, pipe) { withExtendedLifetime(captured) { calls += 1 } }
        }
        try add(Counted(releases))
        let other = try loop.deferred(priority: .important) {
            owner.sources.removeAll()
            releasedBeforeEnd = releases.count
        }
        other.schedule()
        let end = try loop.deferred { loop.exit(code: 0) }
        end.schedule()
        #expect(try loop.runWithLimit() == 0)
        #expect(calls == 0)
        #expect(releasedBeforeEnd == 1)
    }

    @Test("a loop that is destroyed releases its handlers, and a handle may outlive it", arguments: Kind.allCases)
    func outlivesTheLoop(_ kind: Kind) throws {
        let mask = SignalMask(blocking: SIGHUP)
        defer { mask.restore() }
        let releases = Releases()
        let pipe = try Pipe()
        func add(_ captured: Counted) throws -> EventSource {
            let loop = try EventLoop()
            let source = try pending(kind, on: loop, pipe) { withExtendedLifetime(captured) {} }
            withExtendedLifetime(loop) { #expect(releases.count == 0) }
            return source
        }
        var source: EventSource? = try add(Counted(releases))
        #expect(source != nil)
        #expect(releases.count == 1)
        source = nil
    }

    /// An owner that its own handlers retain.
    private final class Circle {
        var sources: [EventSource] = []
        let counted: Counted

        init(_ kinds: [Kind], on loop: EventLoop, counted: Counted, add: (Kind, Circle) throws -> EventSource) rethrows
        {
            self.counted = counted
            for kind in kinds { sources.append(try add(kind, self)) }
        }

        func called() {}
    }

    @Test(
        "captures are released when the loop has run, is closed, or is destroyed, even if they retain their source",
        arguments: ["run", "close", "go"]
    )
    func circles(end: String) throws {
        let mask = SignalMask(blocking: SIGHUP)
        defer { mask.restore() }
        let releases = Releases()
        let pipe = try Pipe()
        var loop: EventLoop? = try EventLoop()
        do {
            let loop = try #require(loop)
            _ = try Circle(Kind.allCases, on: loop, counted: Counted(releases)) { kind, owner in
                try pending(kind, on: loop, pipe) { owner.called() }
            }
            #expect(releases.count == 0)
            if end == "close" { loop.close() }
            if end == "run" {
                loop.exit(code: 0)
                _ = try loop.run()
            }
        }
        #expect(releases.count == (end == "go" ? 0 : 1))
        loop = nil
        #expect(releases.count == 1)
    }

    @Test("a handler may release all sources and add others in their place")
    func replacesAllSources() throws {
        let loop = try EventLoop()
        let owner = Owner()
        let pipes = try (0..<8).map { _ in try Pipe() }
        var calls = 0
        for (index, pipe) in pipes.enumerated() {
            pipe.write()
            owner.sources[index] = try loop.watch(pipe.reader, for: .readable) { _ in
                calls += 1
                owner.sources.removeAll()
                do {
                    owner.sources[0] = try loop.watch(pipe.reader, for: .readable) { _ in
                        owner.sources.removeAll()
                        loop.exit(code: 0)
                    }
                } catch {
                    Issue.record(error)
                }
            }
        }
        #expect(try loop.runWithLimit() == 0)
        #expect(calls == 1)
        #expect(owner.sources.isEmpty)
    }
}
