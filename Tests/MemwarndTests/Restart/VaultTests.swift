import CLinux
import MemwarnProtocol
import Systemd
import TestSupport
import Testing

@testable import memwarnd

struct VaultTests {
    /// A vault at a service manager, and what it complains about.
    private final class Bench {
        let manager: NotifySocket
        let vault: Vault
        private(set) var complaints: [String] = []

        init(nameLimit: Int = Vault.nameLimit) throws {
            manager = try NotifySocket()
            vault = Vault(
                try ServiceNotifier(name: manager.path, on: EventLoop()),
                isOpen: true,
                nameLimit: nameLimit
            )
            vault.complain = { [unowned self] in complaints.append($0) }
        }

        func keep(_ id: UInt64) {
            var ends: [CInt] = [-1, -1]
            socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
            vault.keep(Self.registration(id), connection: ends[0])
            for end in ends { close(end) }
        }

        static func registration(_ id: UInt64) -> Registration {
            Registration(id: id, door: .native, hello: Hello(name: "host \(id)"))
        }

        var names: [String] {
            manager.drain()
            return manager.kept.map(\.name)
        }
    }

    @Test("no more is kept than its names leave the kernel able to start a program with, and that is said once")
    func limit() throws {
        // Each name twice, with what divides them.
        let bench = try Bench(nameLimit: 2 * 2 * "host-1:".utf8.count)
        for id: UInt64 in 1...4 { bench.keep(id) }
        #expect(bench.names == ["host-1", "host-1", "host-2", "host-2"])
        #expect(
            bench.complaints == [
                "there are 2 hosts; those beyond register anew after a restart"
            ]
        )
        bench.vault.release(3)
        #expect(bench.names.count == 4)
        bench.vault.release(1)
        #expect(bench.names == ["host-2", "host-2"])
        bench.keep(5)
        #expect(bench.names == ["host-2", "host-2", "host-5", "host-5"])
        // There was room meanwhile.
        bench.keep(6)
        #expect(bench.complaints.count == 2)
    }

    @Test("the kernel starts a program with as many names as are kept")
    func kernelLimit() throws {
        let names = String(repeating: "x", count: Vault.nameLimit)
        let environment = ["LISTEN_FDNAMES": "memwarnd.socket:memwarnd-pressure.socket:" + names]
        #expect(try ChildProcess("/bin/true", environment: environment).wait() == 0)
    }

    @Test func aStateIsWrittenToTheFileThatIsKeptAlready() throws {
        let bench = try Bench()
        bench.vault.save(DaemonState(lastRound: 1))
        #expect(bench.names == ["state"])
        bench.vault.save(DaemonState(lastRound: 2))
        #expect(bench.names == ["state"])
        let file = MemoryFile(adopting: fcntl(try #require(bench.manager.kept.first).descriptor, F_DUPFD_CLOEXEC, 3))
        #expect(DaemonState(decoding: try file.read(limit: 1_000)) == DaemonState(lastRound: 2))
    }

    @Test func withoutAManagerNothingIsKept() throws {
        let manager = try NotifySocket()
        let vault = Vault(try ServiceNotifier(name: manager.path, on: EventLoop()), isOpen: false)
        vault.save(DaemonState(lastRound: 1))
        vault.keep(Bench.registration(1), connection: STDIN_FILENO)
        #expect(manager.hear(within: 0) == nil)
    }

    @Test("what cannot be said to the manager is said to people")
    func failure() throws {
        var bench: Bench? = try Bench()
        let vault = try #require(bench?.vault)
        var complaints: [String] = []
        vault.complain = { complaints.append($0) }
        let path = try #require(bench?.manager.path)
        bench = nil
        vault.save(DaemonState(lastRound: 1))
        #expect(complaints.count == 1)
        #expect(complaints.first?.contains("cannot notify the service manager at \(path)") == true)
    }
}
