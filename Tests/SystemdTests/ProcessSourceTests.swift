import CLinux
import Testing

@testable import Systemd

@Suite(.timeLimit(.minutes(1)))
struct ProcessSourceTests {
    /// Starts a shell that runs the script once the pipe is closed.
    private func start(_ script: String, _ pipe: Pipe) throws -> pid_t {
        // The pipe's ends are non-blocking, so the shell's `read` would fail at once.
        _ = fcntl(pipe.reader, F_SETFL, 0)
        return try Shell.start("read line; " + script, input: pipe.reader)
    }

    /// Waits for the end of a child and leaves it as a zombie.
    private func awaitEnd(_ pid: pid_t) {
        var information = siginfo_t()
        while waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
    }

    @Test(
        "the handler receives the end of a child once, and no zombie is left",
        arguments: [
            ("exit 0", .exited(code: 0)), ("exit 7", .exited(code: 7)), ("exit 255", .exited(code: 255)),
            ("kill -KILL $$", .signaled(number: SIGKILL)), ("kill -TERM $$", .signaled(number: SIGTERM)),
            ("exec /nonexistent", .exited(code: 127)),
        ] as [(String, ProcessEnd)]
    )
    func ends(_ script: String, _ expected: ProcessEnd) throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        let pid = try start(script, pipe)
        var ends: [ProcessEnd] = []
        // The loop calls this only when nothing else is pending, so a second report would come first.
        let finish = try loop.deferred(priority: .init(rawValue: 200)) { loop.exit(code: 0) }
        let source = try loop.process(pid) {
            ends.append($0)
            finish.schedule()
        }
        let begin = try loop.deferred { pipe.closeWriter() }
        begin.schedule()
        #expect(try loop.runWithLimit() == 0)
        #expect(ends == [expected])
        #expect(source.pid == pid)
        var status: CInt = 0
        #expect(waitpid(pid, &status, 0) == -1 && errno == ECHILD)
    }

    @Test func aChildThatHasEndedAlreadyIsReported() throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        let pid = try start("exit 3", pipe)
        pipe.closeWriter()
        awaitEnd(pid)
        var end: ProcessEnd?
        let source = try loop.process(pid) {
            end = $0
            loop.exit(code: 0)
        }
        #expect(try withExtendedLifetime(source) { try loop.runWithLimit() } == 0)
        #expect(end == .exited(code: 3))
    }

    @Test func aChildThatOtherCodeWaitedForIsReportedAsUnknown() throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        let pid = try start("exit 3", pipe)
        var end: ProcessEnd?
        let source = try loop.process(pid) {
            end = $0
            loop.exit(code: 0)
        }
        pipe.closeWriter()
        var status: CInt = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        #expect(try withExtendedLifetime(source) { try loop.runWithLimit() } == 0)
        #expect(end == .unknown)
    }

    @Test("a source released by its own handler is destroyed, with all captures of the handler")
    func droppedByItsHandler() throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        let pid = try start("exit 0", pipe)
        let releases = Releases()
        var source: ProcessSource?
        func add(_ captured: Counted) throws {
            source = try loop.process(pid) { _ in
                withExtendedLifetime(captured) { source = nil }
                loop.exit(code: 0)
            }
        }
        try add(Counted(releases))
        #expect(source != nil && releases.count == 0)
        pipe.closeWriter()
        #expect(try loop.runWithLimit() == 0)
        #expect(releases.count == 1)
    }

    @Test func droppingTheSourceDoesNotAffectTheChild() throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        let pid = try start("exit 5", pipe)
        var source: ProcessSource? = try loop.process(pid) { _ in Issue.record("the handler was called") }
        #expect(source != nil)
        source = nil
        pipe.closeWriter()
        awaitEnd(pid)
        let end = try loop.deferred { loop.exit(code: 0) }
        end.schedule()
        #expect(try loop.runWithLimit() == 0)
        var status: CInt = 0
        #expect(waitpid(pid, &status, 0) == pid)
        #expect((status >> 8) & 0xFF == 5)
    }

    @Test("a missing process causes an error, and the handler is released")
    func noProcess() throws {
        let loop = try EventLoop()
        let pipe = try Pipe()
        let pid = try start("exit 0", pipe)
        pipe.closeWriter()
        var status: CInt = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        let releases = Releases()
        func add(_ captured: Counted) throws(SystemdError) {
            _ = try loop.process(pid) { _ in withExtendedLifetime(captured) {} }
        }
        #expect(throws: SystemdError("wait for process \(pid)", errno: ESRCH)) { try add(Counted(releases)) }
        #expect(releases.count == 1)
    }
}
