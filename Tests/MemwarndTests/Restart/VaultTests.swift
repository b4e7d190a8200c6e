import CLinux
import MemwarnProtocol
import TestSupport
import Testing
import WarningPolicy

@testable import Systemd
@testable import memwarnd

struct VaultTests {
    /// A vault with a service manager, and the complaints of the vault.
    private final class Bench {
        let manager: NotifySocket
        let vault: Vault
        private let loop: EventLoop
        private(set) var complaints: [String] = []
        /// Both ends of the hosts' connections; the test's ends stay open until the host leaves.
        private var connections: [UInt64: [CInt]] = [:]

        init(isOpen: Bool = true, nameLimit: Int = Vault.nameLimit) throws {
            manager = try NotifySocket()
            loop = try EventLoop()
            vault = try Vault(
                ServiceNotifier(name: manager.path, on: loop),
                isOpen: isOpen,
                on: loop,
                patience: .zero,
                nameLimit: nameLimit
            )
            vault.complain = { [unowned self] in complaints.append($0) }
        }

        deinit {
            for end in connections.values.joined() { close(end) }
        }

        func keep(_ id: UInt64) {
            var ends: [CInt] = [-1, -1]
            socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
            connections[id] = ends
            vault.keep(Self.registration(id), uid: UInt32(id), connection: ends[0])
        }

        func release(_ id: UInt64) {
            vault.release(id)
            for end in connections.removeValue(forKey: id) ?? [] { close(end) }
        }

        static func registration(_ id: UInt64) -> HostRegistration {
            HostRegistration(id: id, door: .native, hello: Hello(name: "host \(id)"))
        }

        var names: [String] {
            manager.drain()
            return manager.kept.map(\.name)
        }

        /// The inheritance of a daemon that is started with the descriptors that are stored now.
        func inheritance() -> Inheritance {
            manager.drain()
            return Inheritance(
                manager.kept.map {
                    InheritedDescriptor(fd: fcntl($0.descriptor, F_DUPFD_CLOEXEC, 3), name: $0.name)
                }
            )
        }
    }

    @Test("the names of stored hosts fit into a variable that the kernel accepts, and the limit is reported once")
    func limit() throws {
        // Four of these names and room for the longest exceed this limit; three of them and that room do not.
        let bench = try Bench(nameLimit: StorePolicy.longestName * 2)
        bench.vault.adopt(Inheritance())
        for id: UInt64 in 1...6 { bench.keep(id) }
        #expect(bench.names == ["hosts", "host-1", "host-2", "host-3", "host-4"])
        let complaint = "there is no room for more hosts; others register again after a restart, if they can"
        #expect(bench.complaints == [complaint])
        bench.release(5)
        #expect(bench.names.count == 5)
        bench.release(1)
        #expect(bench.names == ["hosts", "host-2", "host-3", "host-4", "host-6"])
        // There was room in between, so the vault complains again.
        bench.keep(7)
        #expect(bench.complaints == [complaint, complaint])
    }

    @Test("a host costs one descriptor, and leaves without a message")
    func leaving() throws {
        let bench = try Bench()
        bench.vault.adopt(Inheritance())
        bench.keep(1)
        #expect(bench.names == ["hosts", "host-1"])
        bench.release(1)
        #expect(bench.manager.hear(within: 0) == nil)
        #expect(bench.names == ["hosts"])
    }

    @Test("whenever the daemon is killed, each stored connection has its own registration or none")
    func kill() throws {
        let bench = try Bench()
        bench.vault.adopt(Inheritance())
        var expected: [UInt64] = []
        var last: UInt64 = 0
        // The vault writes the file for later hosts, in places of earlier ones, before the test reads each message.
        for step: UInt64 in 1...15 {
            if step > 4 { bench.release(step - 4) }
            bench.keep(step)
            let found = bench.inheritance()
            last = step
            expected = Array(max(1, step < 4 ? 1 : step - 3)...step)
            #expect(found.hosts.map(\.registration) == expected.map(Bench.registration))
            #expect(found.useless.map(\.name) == [])
            #expect(found.lastHost == last)
            for host in found.hosts { close(host.connection) }
        }
        // The file may be ahead of the store: it has a connection that the manager has not received yet.
        bench.manager.forget("host-15")
        let behind = bench.inheritance()
        #expect(behind.hosts.map(\.registration.id) == [12, 13, 14])
        #expect(behind.lastHost == 15)
        // The store may be ahead of the file: the manager still has a host that left, and another host has its place in the file.
        var ends: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0)
        try bench.manager.keep("host-3", [ends[0]])
        let ahead = bench.inheritance()
        #expect(ahead.hosts.map(\.registration.id) == [12, 13, 14])
        #expect(ahead.useless.map(\.name) == ["host-3"])
        for host in behind.hosts + ahead.hosts { close(host.connection) }
        for end in ends { close(end) }
    }

    @Test("the kernel starts a program with the largest number of stored names")
    func kernelLimit() throws {
        let names = String(repeating: "x", count: Vault.nameLimit)
        let environment = ["LISTEN_FDNAMES": "memwarnd.socket:memwarnd-pressure.socket:" + names]
        #expect(try ChildProcess("/bin/true", environment: environment).wait() == 0)
    }

    @Test func aStateIsWrittenToTheFileThatIsStoredAlready() throws {
        let bench = try Bench()
        bench.vault.save(DaemonState(lastHost: 1))
        #expect(bench.names == ["state"])
        bench.vault.save(DaemonState(lastHost: 2))
        #expect(bench.names == ["state"])
        let file = MemoryFile(adopting: fcntl(try #require(bench.manager.kept.first).descriptor, F_DUPFD_CLOEXEC, 3))
        #expect(DaemonState(decoding: try file.read(limit: 1_000)) == DaemonState(lastHost: 2))
    }

    @Test func withoutAManagerNothingIsStored() throws {
        let bench = try Bench(isOpen: false)
        bench.vault.adopt(Inheritance())
        bench.vault.save(DaemonState(lastHost: 1))
        bench.keep(1)
        #expect(bench.manager.hear(within: 0) == nil)
    }

    @Test("the vault reports to the administrator that it cannot notify the manager")
    func failure() throws {
        let loop = try EventLoop()
        let notifier = try ServiceNotifier(name: "/nonexistent/notify", on: loop)
        let vault = try Vault(notifier, isOpen: true, on: loop)
        var complaints: [String] = []
        vault.complain = { complaints.append($0) }
        vault.save(DaemonState(lastHost: 1))
        vault.save(DaemonState(lastHost: 2))
        #expect(complaints.count == 1)
        #expect(complaints.first?.contains("cannot notify the service manager at /nonexistent/notify") == true)
    }
}
