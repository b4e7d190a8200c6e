import CLinux
import TestSupport
import Testing

@testable import Systemd

@Suite(.timeLimit(.minutes(1)))
struct BusTests {
    private let name = "org.example.Monitor"
    private let path = "/org/example/Monitor"
    private let interface = "org.example.Monitor"
    private let member = "LowMemoryWarning"

    @Test("signals reach subscribers with their byte", .enabled(if: PrivateBus.isInstalled, PrivateBus.comment))
    func signals() throws {
        let daemon = try PrivateBus()
        let monitor = try daemon.monitor(interface)
        let loop = try EventLoop()
        let bus = try Bus(address: daemon.address, on: loop) { Issue.record("disconnected") }
        // Before the connection is established, and after.
        try bus.emitSignal(path: path, interface: interface, member: member, byte: 50)
        try bus.requestName(name) { [path, interface, member] _ in
            for byte: UInt8 in [100, 255] {
                #expect(throws: Never.self) {
                    try bus.emitSignal(path: path, interface: interface, member: member, byte: byte)
                }
            }
            loop.exit(code: 0)
        }
        #expect(try loop.runWithLimit() == 0)
        for byte in [50, 100, 255] {
            let header = monitor.line { $0.contains("path=\(path); interface=\(interface); member=\(member)") }
            #expect(header != nil)
            #expect(monitor.line { _ in true } == "   byte \(byte)")
        }
    }

    @Test("a name is acquired once, and then taken", .enabled(if: PrivateBus.isInstalled, PrivateBus.comment))
    func names() throws {
        let daemon = try PrivateBus()
        let loop = try EventLoop()
        var first: Bus? = try Bus(address: daemon.address, on: loop) { Issue.record("disconnected") }
        let second = try Bus(address: daemon.address, on: loop) { Issue.record("disconnected") }
        var results: [Bus.NameResult] = []
        // Before the connection is established.
        try first?.requestName(name) { [name] result in
            results.append(result)
            #expect(throws: Never.self) {
                try second.requestName(name) { result in
                    results.append(result)
                    loop.exit(code: 0)
                }
            }
        }
        #expect(try withExtendedLifetime(first) { try loop.runWithLimit() } == 0)
        #expect(results == [.acquired, .taken])
        first = nil
    }

    @Test("if a bus refuses a name, that is reported", .enabled(if: PrivateBus.isInstalled, PrivateBus.comment))
    func refusedName() throws {
        let daemon = try PrivateBus()
        let loop = try EventLoop()
        let bus = try Bus(address: daemon.address, on: loop) { Issue.record("disconnected") }
        var results: [Bus.NameResult] = []
        try bus.requestName(PrivateBus.forbiddenName) { result in
            results.append(result)
            loop.exit(code: 0)
        }
        #expect(try loop.runWithLimit() == 0)
        let operation = "own the name \(PrivateBus.forbiddenName) on the bus"
        #expect(results == [.failed(SystemdError(operation, errno: EACCES))])
        #expect(throws: SystemdError("own the name no.name! on the bus", errno: EINVAL)) {
            try bus.requestName("no.name!") { _ in Issue.record("called") }
        }
    }

    @Test(
        "gdbus receives the object's signal",
        .enabled(if: PrivateBus.isInstalled && access("/usr/bin/gdbus", X_OK) == 0, "dbus-daemon or gdbus is missing")
    )
    func introspection() throws {
        let daemon = try PrivateBus()
        let loop = try EventLoop()
        let bus = try Bus(address: daemon.address, on: loop) { Issue.record("disconnected") }
        try bus.addLowMemoryObject(path: path, interface: interface)
        #expect(throws: SystemdError("add \(interface) at \(path) to the bus", errno: EEXIST)) {
            try bus.addLowMemoryObject(path: path, interface: interface)
        }
        let directory = try TemporaryDirectory()
        let output = "\(directory.path)/output"
        let command = "gdbus introspect --address \(daemon.address) --dest \(name) --object-path \(path) >\(output)"
        var gdbus: ProcessSource?
        var end: ProcessEnd?
        try bus.requestName(name) { _ in
            #expect(throws: Never.self) {
                gdbus = try loop.process(Shell.start(command, input: STDIN_FILENO)) {
                    end = $0
                    loop.exit(code: 0)
                }
            }
        }
        #expect(try loop.runWithLimit() == 0)
        #expect(gdbus != nil && end == .exited(code: 0))
        let stream = try #require(fopen(output, "r"))
        defer { fclose(stream) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&buffer, 1, buffer.count, stream)
        let text = String(decoding: buffer.prefix(count), as: UTF8.self)
        let words = text.split { $0.isWhitespace }.joined(separator: " ")
        #expect(words.contains("interface \(interface) { methods: signals: LowMemoryWarning(y level); properties: };"))
    }

    @Test(
        "the end of a bus is reported once, the bus may then be released, and the loop continues",
        .enabled(if: PrivateBus.isInstalled, PrivateBus.comment)
    )
    func disconnection() throws {
        let daemon = try PrivateBus()
        let loop = try EventLoop()
        let releases = Releases()
        var bus: Bus?
        var disconnections = 0
        var failure: SystemdError?
        let end = try loop.deferred { loop.exit(code: 0) }
        func connect(_ captured: Counted) throws {
            bus = try Bus(address: daemon.address, on: loop) { [path, interface, member] in
                withExtendedLifetime(captured) { disconnections += 1 }
                do throws(SystemdError) {
                    try bus?.emitSignal(path: path, interface: interface, member: member, byte: 1)
                } catch { failure = error }
                bus = nil
                end.schedule()
            }
        }
        try connect(Counted(releases))
        try bus?.requestName(name) { result in
            #expect(result == .acquired)
            daemon.kill()
        }
        #expect(try loop.runWithLimit() == 0)
        #expect(disconnections == 1)
        #expect(failure?.errno == ENOTCONN)
        #expect(bus == nil && releases.count == 1)
    }

    @Test("a bus that does not answer blocks neither the loop nor its own release")
    func silence() throws {
        let directory = try TemporaryDirectory()
        let silent = try UnixSocket(directory.path + "/bus", type: CInt(SOCK_STREAM.rawValue))
        try #require(listen(silent.fd, 1) == 0)
        let loop = try EventLoop()
        let bus = try Bus(address: "unix:path=\(directory.path)/bus", on: loop) { Issue.record("disconnected") }
        try bus.requestName(name) { _ in Issue.record("answered") }
        try bus.emitSignal(path: path, interface: interface, member: member, byte: 1)
        let end = try loop.deferred { loop.exit(code: 0) }
        end.schedule()
        #expect(try withExtendedLifetime(bus) { try loop.runWithLimit() } == 0)
    }

    @Test("if a bus ends before it answers, the request fails, and the end is reported")
    func lostEarly() throws {
        let directory = try TemporaryDirectory()
        var silent: UnixSocket? = try UnixSocket(directory.path + "/bus", type: CInt(SOCK_STREAM.rawValue))
        try #require(listen(silent?.fd ?? -1, 1) == 0)
        let loop = try EventLoop()
        var results: [Bus.NameResult] = []
        let bus = try Bus(address: "unix:path=\(directory.path)/bus", on: loop) { loop.exit(code: 0) }
        try bus.requestName(name) { results.append($0) }
        silent = nil
        #expect(try withExtendedLifetime(bus) { try loop.runWithLimit() } == 0)
        try #require(results.count == 1)
        guard case .failed(let error) = results[0] else {
            Issue.record("\(results[0])")
            return
        }
        #expect(error.operation == "own the name \(name) on the bus")
    }

    @Test func withoutABusThereIsAnError() throws {
        let loop = try EventLoop()
        let address = "unix:path=/nonexistent/bus"
        #expect(throws: SystemdError("connect to the bus at \(address)", errno: ENOENT)) {
            try Bus(address: address, on: loop) { Issue.record("disconnected") }
        }
    }

    @Test("malformed names cause errors")
    func malformed() throws {
        let directory = try TemporaryDirectory()
        let silent = try UnixSocket(directory.path + "/bus", type: CInt(SOCK_STREAM.rawValue))
        try #require(listen(silent.fd, 1) == 0)
        let bus = try Bus(address: "unix:path=\(directory.path)/bus", on: EventLoop()) {}
        let send = SystemdError("send the signal \(interface).\(member) to the bus", errno: EINVAL)
        #expect(throws: send) { try bus.emitSignal(path: "nowhere", interface: interface, member: member, byte: 1) }
        let add = SystemdError("add nothing at \(path) to the bus", errno: EINVAL)
        #expect(throws: add) { try bus.addLowMemoryObject(path: path, interface: "nothing") }
    }

    // An exit test, because the environment belongs to the whole process.
    @Test(
        "the environment determines the system bus and the session bus",
        .enabled(if: PrivateBus.isInstalled, PrivateBus.comment)
    )
    func kinds() async {
        await #expect(processExitsWith: .success) {
            let daemon = try PrivateBus()
            setenv("DBUS_SYSTEM_BUS_ADDRESS", daemon.address, 1)
            setenv("DBUS_SESSION_BUS_ADDRESS", daemon.address, 1)
            let loop = try EventLoop()
            var results: [Bus.NameResult] = []
            let buses = try [Bus.Kind.system, .user].map { kind in
                let bus = try Bus(kind, on: loop) { Issue.record("disconnected") }
                try bus.requestName("org.example.\(kind)") { result in
                    results.append(result)
                    if results.count == 2 { loop.exit(code: 0) }
                }
                return bus
            }
            let code = try withExtendedLifetime(buses) { try loop.runWithLimit() }
            #expect(code == 0)
            #expect(results == [.acquired, .acquired])

            setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1)
            #expect(throws: SystemdError("connect to the system bus", errno: ENOENT)) {
                try Bus(.system, on: loop) {}
            }
        }
    }
}
