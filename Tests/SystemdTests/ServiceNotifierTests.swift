import CLinux
import TestSupport
import Testing

@testable import Systemd

@Suite(.timeLimit(.minutes(1)))
struct ServiceNotifierTests {
    /// A service manager's socket, a loop, and a notifier for that socket.
    private struct Stage {
        let directory = Result { try TemporaryDirectory() }
        let path: String
        let loop: EventLoop
        let notifier: ServiceNotifier

        init(limit: Int = 100) throws {
            path = try directory.get().path + "/notify"
            loop = try EventLoop()
            notifier = try ServiceNotifier(name: path, on: loop, limit: limit)
        }

        /// Notifies until a notice has to wait, and returns the number of notices sent before that.
        func fill() throws -> Int {
            for sent in 0..<100_000 {
                try notifier.ready()
                if !notifier.queue.isEmpty { return sent }
            }
            throw SystemdError("fill the manager's queue", errno: ENOBUFS)
        }
    }

    @Test func sendsTheManagerOneDatagramForEachCall() throws {
        let stage = try Stage()
        let manager = try UnixSocket(stage.path)
        try stage.notifier.ready()
        #expect(manager.receiveText() == "READY=1")
        try stage.notifier.ready(status: "Watching 3 scopes.")
        #expect(manager.receiveText() == "READY=1\nSTATUS=Watching 3 scopes.")
        try stage.notifier.status("Warning: some 43.2%")
        #expect(manager.receiveText() == "STATUS=Warning: some 43.2%")
        try stage.notifier.stopping()
        #expect(manager.receiveText() == "STOPPING=1")
        #expect(manager.receive() == nil)
    }

    @Test("a reload is sent with the current time, in one datagram")
    func reloading() throws {
        let stage = try Stage()
        let manager = try UnixSocket(stage.path)
        let before = microsecondsNow()
        try stage.notifier.reloading()
        let after = microsecondsNow()
        let text = try #require(manager.receiveText())
        let prefix = "RELOADING=1\nMONOTONIC_USEC="
        try #require(text.hasPrefix(prefix))
        let time = try #require(Int(text.dropFirst(prefix.count)))
        #expect((before...after).contains(time))
        try stage.notifier.ready(status: "as before")
        #expect(manager.receiveText() == "READY=1\nSTATUS=as before")
    }

    private func microsecondsNow() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
    }

    @Test("a status cannot add lines of its own")
    func injection() throws {
        let stage = try Stage()
        let manager = try UnixSocket(stage.path)
        try stage.notifier.ready(status: "a\nSTOPPING=1\r\nb\0c")
        #expect(manager.receiveText() == "READY=1\nSTATUS=a\\nSTOPPING=1\\r\\nb\\u{0}c")
    }

    @Test("a status for which the manager would ignore the datagram is cut between characters")
    func longStatus() throws {
        let stage = try Stage()
        let manager = try UnixSocket(stage.path)
        try stage.notifier.status("x" + String(repeating: "é", count: 4000))
        #expect(manager.receiveText() == "STATUS=x" + String(repeating: "é", count: 511))
    }

    @Test func withoutAManagerNothingHappens() throws {
        let notifier = try ServiceNotifier(name: nil, on: EventLoop())
        try notifier.ready(status: "here")
        try notifier.status("there")
        try notifier.reloading()
        try notifier.store(name: "a", descriptors: [STDIN_FILENO])
        try notifier.removeStored(name: "a")
        try notifier.stopping()
        #expect(notifier.queue.isEmpty)
        #expect(notifier.flush(within: .zero))
    }

    @Test("an invalid address causes an error", arguments: [("notify", EAFNOSUPPORT), ("vsock:2:9", EAFNOSUPPORT)])
    func addresses(_ name: String, _ errno: CInt) throws {
        let loop = try EventLoop()
        #expect(throws: SystemdError("notify the service manager at \(name)", errno: errno)) {
            try ServiceNotifier(name: name, on: loop)
        }
        let long = "/" + String(repeating: "x", count: 200)
        #expect(throws: SystemdError("notify the service manager at \(long)", errno: ENAMETOOLONG)) {
            try ServiceNotifier(name: long, on: loop)
        }
    }

    @Test func aMissingManagerIsAnError() throws {
        let stage = try Stage()
        let error = SystemdError("notify the service manager at \(stage.path)", errno: ENOENT)
        #expect(throws: error) { try stage.notifier.ready() }
        #expect(stage.notifier.queue.isEmpty)
    }

    @Test func aRestartedManagerIsFoundAtTheOldAddress() throws {
        let stage = try Stage()
        var manager = try UnixSocket(stage.path)
        try stage.notifier.ready()
        unlink(stage.path)
        manager = try UnixSocket(stage.path)
        try stage.notifier.status("still here")
        #expect(manager.receiveText() == "STATUS=still here")
    }

    @Test("notices that do not fit into the manager's queue are sent by the loop, in order, the newest status last")
    func waiting() throws {
        let stage = try Stage()
        let manager = try UnixSocket(stage.path)
        var expected = Array(repeating: "READY=1", count: try stage.fill() + 1)
        try stage.notifier.status("old")
        try stage.notifier.store(name: "a", descriptors: [manager.fd])
        try stage.notifier.status("new")
        try stage.notifier.removeStored(name: "a")
        try stage.notifier.stopping()
        expected += ["FDSTORE=1\nFDNAME=a", "FDSTOREREMOVE=1\nFDNAME=a", "STOPPING=1", "STATUS=new"]

        var received: [String] = []
        let reading = try stage.loop.watch(manager.fd, for: .readable) { _ in
            if let text = manager.receiveText() { received.append(text) }
            if received.last == "STATUS=new" { stage.loop.exit(code: 0) }
        }
        #expect(try withExtendedLifetime(reading) { try stage.loop.runWithLimit() } == 0)
        #expect(received == expected)
        #expect(stage.notifier.queue.isEmpty)
    }

    @Test("the loop has no work for a notifier without notices, neither before nor after one has waited")
    func idle() throws {
        let stage = try Stage()
        let manager = try UnixSocket(stage.path)
        // The socket is always writable. The loop calls this only when nothing else is pending, and therefore twice.
        let least = EventLoop.Priority(rawValue: 200)
        var calls = 0
        var work: DeferredSource?
        work = try stage.loop.deferred(priority: least) {
            calls += 1
            guard calls == 1 else { return stage.loop.exit(code: 0) }
            #expect(throws: Never.self) { _ = try stage.fill() }
            while manager.receive() != nil {}
            work?.schedule()
        }
        work?.schedule()
        #expect(try stage.loop.runWithLimit() == 0)
        #expect(calls == 2)
        #expect(stage.notifier.queue.isEmpty)
        work = nil
    }

    @Test("notices for a manager that has gone are dropped, and the loop continues")
    func gone() throws {
        let stage = try Stage()
        var manager: UnixSocket? = try UnixSocket(stage.path)
        #expect(manager != nil)
        _ = try stage.fill()
        let end = try stage.loop.deferred(priority: .init(rawValue: 200)) {
            stage.loop.exit(code: 0)
        }
        let leave = try stage.loop.deferred(priority: .important) {
            manager = nil
            end.schedule()
        }
        leave.schedule()
        #expect(try stage.loop.runWithLimit() == 0)
        #expect(stage.notifier.queue.isEmpty)
        #expect(throws: SystemdError.self) { try stage.notifier.ready() }
    }

    @Test("a flush sends waiting notices, and gives up when its time is over")
    func flush() throws {
        let stage = try Stage()
        let manager = try UnixSocket(stage.path)
        _ = try stage.fill()
        try stage.notifier.stopping()
        let start = SuspendingClock.now
        #expect(!stage.notifier.flush(within: .milliseconds(20)))
        let time = SuspendingClock.now - start
        #expect(time >= .milliseconds(20) && time < .seconds(10))
        #expect(stage.notifier.queue.count == 2)

        while manager.receive() != nil {}
        #expect(stage.notifier.flush(within: .seconds(10)))
        #expect(manager.receiveText() == "READY=1")
        #expect(manager.receiveText() == "STOPPING=1")
        #expect(stage.notifier.queue.isEmpty)
    }

    // An exit test, because the environment belongs to the whole process.
    @Test func theEnvironmentNamesTheManager() async {
        await #expect(processExitsWith: .success) {
            let name = "@memwarnd-test-notify-\(getpid())"
            let manager = try UnixSocket(name)
            setenv("NOTIFY_SOCKET", name, 1)
            try ServiceNotifier(on: EventLoop()).ready()
            #expect(manager.receiveText() == "READY=1")
            setenv("NOTIFY_SOCKET", "", 1)
            #expect(ServiceNotifier.environmentName == nil)
            unsetenv("NOTIFY_SOCKET")
            #expect(ServiceNotifier.environmentName == nil)
        }
    }

    // An exit test, because the environment belongs to the whole process.
    @Test func theWatchdogIsFedFromTheLoop() async {
        await #expect(processExitsWith: .success) {
            let manager = try UnixSocket("@memwarnd-test-watchdog-\(getpid())")
            setenv("NOTIFY_SOCKET", "@memwarnd-test-watchdog-\(getpid())", 1)
            setenv("WATCHDOG_USEC", "100000", 1)
            unsetenv("WATCHDOG_PID")
            let loop = try EventLoop()
            let notifier = try ServiceNotifier(on: loop)
            var signs: [String] = []
            let source = try loop.watch(manager.fd, for: .readable) { _ in
                if let sign = manager.receiveText() { signs.append(sign) }
                if signs.count == 3 { loop.exit(code: 0) }
            }
            #expect(try notifier.feedWatchdog(from: loop))
            #expect(try withExtendedLifetime((source, notifier)) { try loop.runWithLimit() } == 0)
            #expect(signs == ["WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1"])
        }
    }

    // An exit test, because the environment belongs to the whole process.
    @Test func withoutAWatchdogInTheUnitThereIsNoNotice() async {
        await #expect(processExitsWith: .success) {
            unsetenv("WATCHDOG_USEC")
            let loop = try EventLoop()
            #expect(try !ServiceNotifier(on: loop).feedWatchdog(from: loop))
        }
    }

    // An exit test, because the environment belongs to the whole process.
    @Test func aManagerThatDoesNotReadIsFedAsSoonAsItDoes() async {
        await #expect(processExitsWith: .success) {
            let name = "@memwarnd-test-watchdog-\(getpid())"
            let manager = try UnixSocket(name)
            setenv("NOTIFY_SOCKET", name, 1)
            setenv("WATCHDOG_USEC", "20000000", 1)
            unsetenv("WATCHDOG_PID")
            let loop = try EventLoop()
            let notifier = try ServiceNotifier(on: loop)
            // Until its queue is full, and a notice waits.
            while notifier.queue.isEmpty { try notifier.stopping() }
            #expect(try notifier.feedWatchdog(from: loop))
            let source = try loop.watch(manager.fd, for: .readable) { _ in
                while let sign = manager.receiveText() {
                    if sign == "WATCHDOG=1" { loop.exit(code: 0) }
                }
            }
            #expect(try withExtendedLifetime((source, notifier)) { try loop.runWithLimit() } == 0)
        }
    }
}
