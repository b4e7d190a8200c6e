import Foundation
import MemoryPressure
import MemwarnProtocol
import Systemd
import TestSupport
import Testing

/// The D-Bus name of low-memory-monitor.
@Suite(.enabled(if: PrivateBus.isInstalled, PrivateBus.comment), .timeLimit(.minutes(2)))
struct LowMemoryMonitorTests {
    static let name = "org.freedesktop.LowMemoryMonitor"

    /// A daemon on the test's own bus, as system and as session bus: the daemon uses the latter if it does not run as root.
    static func daemon(_ address: String) throws -> DaemonProcess {
        try DaemonProcess(environment: ["DBUS_SYSTEM_BUS_ADDRESS": address, "DBUS_SESSION_BUS_ADDRESS": address])
    }

    static func status(_ daemon: DaemonProcess) throws -> String {
        try ChildProcess.memwarnd("status", "--socket", daemon.socket).output
    }

    @Test("one daemon owns the name; a second one reports once that it is taken, and continues without it")
    func taken() throws {
        let bus = try PrivateBus()
        let first = try Self.daemon(bus.address)
        #expect(first.log(containing: "the D-Bus door listens on \(Self.name)") != nil)
        #expect(try Self.status(first).contains("; D-Bus \(Self.name)\n"))
        let second = try Self.daemon(bus.address)
        let reason = "the name \(Self.name) belongs to another program"
        #expect(second.log(containing: "the D-Bus door is not available: \(reason)") != nil)
        #expect(try Self.status(second).contains("; D-Bus off: \(reason)\n"))
        #expect(second.terminate() == 0)
    }

    @Test("a daemon finds a late bus, waits for a lost bus, and finds it again when it returns")
    func late() throws {
        let directory = try TemporaryDirectory()
        // Not even the directory of the bus socket exists yet.
        let daemon = try Self.daemon("unix:path=\(directory.path)/dbus/bus")
        #expect(daemon.log(containing: "the D-Bus door is closed: cannot connect") != nil)
        #expect(try Self.status(daemon).contains("; D-Bus waits for the bus: "))
        try directory.makeDirectory("dbus")
        let bus = try PrivateBus(at: directory.path + "/dbus/bus")
        #expect(daemon.log(containing: "the D-Bus door listens on") != nil)
        bus.kill()
        #expect(daemon.log(containing: "the D-Bus door is closed: the bus went away") != nil)
        let next = try PrivateBus(at: directory.path + "/dbus/bus")
        #expect(daemon.log(containing: "the D-Bus door listens on") != nil)
        _ = next
        // The daemon has worked normally in the meantime.
        let host = try RawPeer(daemon, host: "native")
        try RawPeer(daemon).simulate(.patient(.critical))
        #expect(try host.warning().warning.level == .critical)
    }

    @Test("a program with GLib's GMemoryMonitor receives 50, 100 and 255", .enabled(if: Python.withoutGLib == nil))
    func glib() async {
        await #expect(processExitsWith: .success) {
            let bus = try PrivateBus()
            setenv("DBUS_SYSTEM_BUS_ADDRESS", bus.address, 1)
            // A monitor drops signals until its proxy has been built, which takes several answers of the bus, and does not tell when
            // that is. This script asks for the same answers after the monitor, so it receives them after the monitor.
            let script = """
                import gi
                gi.require_version("Gio", "2.0")
                from gi.repository import Gio, GLib
                name = "\(LowMemoryMonitorTests.name)"
                def appeared(connection, *_):
                    global monitor
                    monitor = Gio.MemoryMonitor.dup_default()
                    monitor.connect("low-memory-warning", lambda monitor, level: print("level", int(level), flush=True))
                    Gio.bus_watch_name(Gio.BusType.SYSTEM, name, Gio.BusNameWatcherFlags.AUTO_START, follow, None)
                def follow(connection, *_):
                    Gio.DBusProxy.new(connection, 0, None, name, "/org/freedesktop/LowMemoryMonitor", name, None,
                                      lambda *_: print("listening", flush=True))
                Gio.bus_get_sync(Gio.BusType.SYSTEM)
                print("started", flush=True)
                Gio.bus_watch_name(Gio.BusType.SYSTEM, name, Gio.BusNameWatcherFlags.NONE, appeared, None)
                GLib.MainLoop().run()
                """
            // This process must not give up root before: GLib accepts no address from a process with two users.
            let client = try Python.start(script, environment: ["GIO_USE_MEMORY_MONITOR": "dbus"])
            try #require(client.line(startingWith: "started") != nil)
            let pressure = try FakePressure(cgroups: [])
            // The interval is far longer than a turn of the daemon's loop: a repetition replaces a signal that was not sent yet.
            pressure.start(bus: .system, repeating: .seconds(1))
            try #require(client.line(startingWith: "listening") != nil)
            try pressure.leave(thousandths: 50)
            #expect(client.line { _ in true } == "level 50")
            #expect(client.line { _ in true } == "level 100")
            try pressure.leave(thousandths: 10)
            #expect(client.line { $0 != "level 100" } == "level 255")
        }
    }

    @Test("a bus that hangs during a round delays nothing, and receives the signal when it continues")
    func stopped() async {
        await #expect(processExitsWith: .success) {
            let bus = try PrivateBus()
            setenv("DBUS_SYSTEM_BUS_ADDRESS", bus.address, 1)
            let monitor = try bus.monitor(LowMemoryMonitorTests.name)
            let pressure = try FakePressure(cgroups: [])
            // No repetition may send the signal that is missing.
            pressure.start(bus: .system, repeating: .seconds(600))
            let host = try RawPeer(path: pressure.socket)
            try host.register("native")
            while true {
                guard case .daemon(let record)? = try host.page(.daemon).records.first else { continue }
                if record.doors.hasSuffix("; D-Bus \(LowMemoryMonitorTests.name)") { break }
                // The daemon would disconnect a client that empties its bucket of frames faster than it fills.
                _ = poll(nil, 0, 5)
            }
            bus.send(SIGSTOP)
            try pressure.leave(thousandths: 50)
            let (round, warning) = try host.warning()
            #expect(warning.level == .warning)
            try host.acknowledge(round)
            try pressure.leave(thousandths: 10)
            #expect(try host.warning().warning.level == .critical)
            bus.send(SIGCONT)
            // A signal of the first warning that was not sent yet is replaced: only the second warning's arrives always.
            #expect(monitor.line { $0 == "   byte 255" } != nil)
            bus.kill()
        }
    }
}
