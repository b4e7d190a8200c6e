import CLinux
import TestSupport
import Testing

/// The example service that a storyboard describes, as an operator runs it.
struct SearchServiceTests {
    private let daemon: DaemonProcess
    private let state: String

    init() throws {
        daemon = try DaemonProcess()
        state = daemon.directory.path + "/state.json"
    }

    /// Starts the service and waits until it is registered and has its index.
    private func start() throws -> (process: ChildProcess, ready: String) {
        let service = try ChildProcess("searchservice", ["--socket", daemon.socket, "--state", state])
        let ready = try #require(service.line(startingWith: "ready: "))
        try #require(service.line(startingWith: "index built: ") != nil)
        try RawPeer(daemon).waitForHosts(1)
        return (service, ready)
    }

    private func send(_ arguments: String...) throws -> (code: CInt, output: String) {
        try ChildProcess("memwarnd", ["send", "--socket", daemon.socket, "search-service"] + arguments).end()
    }

    @Test("the service answers commands, releases views off window, and resumes where SIGTERM ended it (5.37, 5.40)")
    func session() throws {
        let (first, ready) = try start()
        #expect(ready == "ready: nothing to restore")
        #expect(try send("status").output.contains("\n      index, precision 16, shown, "))
        #expect(try send("search", "memory pressure").code == 0)
        let page = try send("next")
        #expect(page.code == 0)
        #expect(page.output.contains("\"memory pressure\", from 5"))
        #expect(try send("segue:maintain").code == 5)

        let simulation = ["simulate", "--socket", daemon.socket, "--level", "warning"]
        let (code, output) = try ChildProcess("memwarnd", simulation).end()
        #expect(code == 0)
        #expect(output.contains("1 of 1 host answered"))
        #expect(!output.contains(" 0 B released"))
        #expect(try send("status").output.contains("\n      index, not loaded\n"))

        #expect(first.stop() == 0)
        #expect(access(state, R_OK) == 0)
        try RawPeer(daemon).waitForHosts(0)

        let (second, again) = try start()
        #expect(again == "ready: restored")
        let status = try send("status").output
        #expect(status.contains("\n      query, \"memory pressure\" from 5, shown, "))
        #expect(second.stop() == 0)
    }

    @Test("a folder without archives and an invalid command line cause different errors")
    func refusals() throws {
        let lost = try ChildProcess("searchservice", ["--archives", daemon.directory.path, "--state", state]).end()
        #expect(lost.code == EX_CONFIG)
        #expect(lost.output.contains("there is no storyboard Main in the host's archives"))
        let wrong = try ChildProcess("searchservice", ["--lax", "x"]).end()
        #expect(wrong.code == EX_USAGE)
        #expect(access(state, F_OK) != 0)
    }

    @Test("a state that cannot be written causes an error with a reason")
    func unwritable() throws {
        let service = try ChildProcess(
            "searchservice",
            ["--socket", daemon.socket, "--state", daemon.directory.path + "/none/state.json"]
        )
        try #require(service.line(startingWith: "ready: ") != nil)
        try RawPeer(daemon).waitForHosts(1)
        service.send(SIGTERM)
        let (code, output) = service.end()
        #expect(code == 1)
        #expect(output.contains("searchservice: cannot open \(daemon.directory.path)/none"))
    }
}
