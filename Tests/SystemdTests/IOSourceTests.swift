import CLinux
import Testing

@testable import Systemd

@Suite(.timeLimit(.minutes(1)))
struct IOSourceTests {
    @Test("a descriptor is reported as long as it is ready")
    func levelTriggered() throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        pipe.write()
        var calls: [IOEvents] = []
        let source = try loop.watch(pipe.reader, for: .readable) { events in
            calls.append(events)
            if calls.count == 3 { loop.exit(code: 0) }
        }
        #expect(try withExtendedLifetime(source) { try loop.runWithLimit() } == 0)
        #expect(calls == [.readable, .readable, .readable])
        #expect(source.fd == pipe.reader)
    }

    @Test("events that the kernel always reports reach the handler", arguments: [IOEvents.priority, []])
    func errorUnasked(_ asked: IOEvents) throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        // Without a reader the writing end polls as broken.
        pipe.closeReader()
        var reported: IOEvents = []
        let source = try loop.watch(pipe.writer, for: asked) { events in
            reported = events
            loop.exit(code: 0)
        }
        #expect(try withExtendedLifetime(source) { try loop.runWithLimit() } == 0)
        #expect(reported == .error)
    }

    @Test func theHangUpOfAPeerIsReported() throws {
        let loop = try EventLoop()
        var ends: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        close(ends[1])
        var reported: IOEvents = []
        let source = try loop.watch(ends[0], for: [.readable, .peerHangUp]) { events in
            reported = events
            loop.exit(code: 0)
        }
        #expect(try withExtendedLifetime(source) { try loop.runWithLimit() } == 0)
        #expect(reported == [.readable, .hangUp, .peerHangUp])
    }

    @Test func aDisabledSourceIsSilentUntilItIsEnabled() throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        pipe.closeWriter()
        var reported: [IOEvents] = []
        let source = try loop.watch(pipe.reader, for: .readable) { events in
            reported.append(events)
            loop.exit(code: 0)
        }
        source.disable()
        var silent = false
        let later = try loop.deferred {
            silent = reported.isEmpty
            do { try source.enable() } catch { Issue.record(error) }
        }
        later.schedule()
        #expect(try loop.runWithLimit() == 0)
        #expect(silent)
        #expect(reported == [.hangUp])
    }

    @Test func theEventsCanBeChanged() throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        var reported: [IOEvents] = []
        let source = try loop.watch(pipe.writer, for: []) { events in
            reported.append(events)
            loop.exit(code: 0)
        }
        let later = try loop.deferred {
            do { try source.setEvents(.writable) } catch { Issue.record(error) }
        }
        later.schedule()
        #expect(try loop.runWithLimit() == 0)
        #expect(reported == [.writable])
    }

    @Test("a descriptor that cannot be watched causes an error, and the handler is released")
    func unwatchable() throws {
        let loop = try EventLoop()
        let file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        let releases = Releases()
        func watch(_ captured: Counted) throws(SystemdError) {
            _ = try loop.watch(file, for: .readable) { _ in withExtendedLifetime(captured) {} }
        }
        #expect(throws: SystemdError("watch file descriptor \(file)", errno: EPERM)) { try watch(Counted(releases)) }
        #expect(releases.count == 1)
    }

    @Test func aDescriptorIsWatchedOncePerLoop() throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        let source = try loop.watch(pipe.reader, for: .readable) { _ in }
        #expect(throws: SystemdError("watch file descriptor \(pipe.reader)", errno: EEXIST)) {
            try loop.watch(pipe.reader, for: .readable) { _ in }
        }
        withExtendedLifetime(source) {}
    }

    @Test func droppingTheSourceLeavesTheDescriptorOpen() throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        var source: IOSource? = try loop.watch(pipe.reader, for: .readable) { _ in }
        #expect(source != nil)
        source = nil
        #expect(fcntl(pipe.reader, F_GETFD) >= 0)
        // The descriptor can be watched again.
        _ = try loop.watch(pipe.reader, for: .readable) { _ in }
    }
}
