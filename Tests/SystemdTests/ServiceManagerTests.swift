import Glibc
import TestSupport
import Testing

@testable import Systemd

// Exit tests, because `$NOTIFY_SOCKET` belongs to the whole process.
struct ServiceManagerTests {
    @Test func tellsTheManagerOneDatagramACall() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            defer { withExtendedLifetime(directory) {} }
            let path = "\(directory.path)/notify"
            let manager = try UnixSocket(path)
            setenv("NOTIFY_SOCKET", path, 1)

            try ServiceManager.ready()
            #expect(manager.receiveText() == "READY=1")
            try ServiceManager.ready(status: "Watching 3 scopes.")
            #expect(manager.receiveText() == "READY=1\nSTATUS=Watching 3 scopes.")
            try ServiceManager.status("Warning: some 43.2%")
            #expect(manager.receiveText() == "STATUS=Warning: some 43.2%")
            try ServiceManager.stopping()
            #expect(manager.receiveText() == "STOPPING=1")
            #expect(manager.receive() == nil)
        }
    }

    @Test("a status cannot add lines of its own")
    func injection() async {
        await #expect(processExitsWith: .success) {
            let name = "@memwarnd-test-injection-\(getpid())"
            let manager = try UnixSocket(name)
            setenv("NOTIFY_SOCKET", name, 1)
            try ServiceManager.ready(status: "a\nSTOPPING=1\r\nb\0c")
            #expect(manager.receiveText() == "READY=1\nSTATUS=a\\nSTOPPING=1\\r\\nb\\u{0}c")
        }
    }

    @Test("a status that would make the manager ignore the datagram is cut between characters")
    func longStatus() async {
        await #expect(processExitsWith: .success) {
            let name = "@memwarnd-test-long-\(getpid())"
            let manager = try UnixSocket(name)
            setenv("NOTIFY_SOCKET", name, 1)
            try ServiceManager.status("x" + String(repeating: "é", count: 4000))
            #expect(manager.receiveText() == "STATUS=x" + String(repeating: "é", count: 511))
        }
    }

    @Test func withoutAManagerNothingHappens() async {
        await #expect(processExitsWith: .success) {
            unsetenv("NOTIFY_SOCKET")
            try ServiceManager.ready(status: "here")
            try ServiceManager.status("there")
            try ServiceManager.stopping()
        }
    }

    @Test func aManagerThatIsGoneIsAnError() async {
        await #expect(processExitsWith: .success) {
            setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1)
            #expect(throws: SystemdError("notify the service manager", errno: ENOENT)) { try ServiceManager.ready() }
        }
    }
}
