import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing
import WarningPolicy

@testable import memwarnd

struct ConnectedProcessTests {
    @Test("if the kernel has no better way, a process is identified by its directory in /proc until it has ended")
    func directory() throws {
        let process = try ChildProcess("/bin/sleep", ["60"])
        let held = try ConnectedProcess(pid: UInt32(process.pid))
        let before = held.isAlive
        #expect(before)
        process.send(SIGKILL)
        _ = process.wait()
        let after = held.isAlive
        #expect(!after)
        #expect(throws: KernelError.self) { _ = try ConnectedProcess(pid: UInt32(process.pid)) }
    }

    @Test("this process exists")
    func alive() throws {
        var ends: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let held = try ConnectedProcess(connectedTo: ends[0], pid: UInt32(getpid()))
        let isAlive = held.isAlive
        #expect(isAlive)
    }

    @Test("if there is no descriptor with which to hold a process, its cgroup is unknown")
    func shortage() throws {
        var ends: [CInt] = [0, 0]
        try #require(socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
        defer { close(ends[1]) }
        let peer = try Peer(FrameSocket(taking: Descriptor(taking: ends[0])))
        let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        getrlimit(descriptors, &limit)
        var none = rlimit(rlim_cur: 0, rlim_max: limit.rlim_max)
        setrlimit(descriptors, &none)
        let search = HostSearch([HostSearch.Sought(.host(1), behind: peer)], below: CgroupMounts(in: .live))
        setrlimit(descriptors, &limit)
        search.perform()
        guard case .unknown(let error) = search.sought[0].location else { throw Unexpected("it is known") }
        #expect(error.errno == EMFILE)
    }

    /// Connects, ends, and lets a process in another cgroup get its pid before a child sends a hello on the connection.
    static let script = """
        import os, signal, socket, sys
        path, cgroup = sys.argv[1:]
        go, tell = os.pipe()
        over, alive = os.pipe()
        first = os.fork()
        if first == 0:
            s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            s.connect(path)
            if os.fork() == 0:
                os.read(go, 1)
                # Hello, 29 bytes, sequence 1, priority 128, nothing to release, "hi".
                s.send(bytes.fromhex("01010000 1d000000 0100000000000000 80 0000000000000000 0200 6869"))
                answer = s.recv(4096)
                size = int.from_bytes(answer[34:36], "little")
                print("scope", answer[36:36 + size].decode(), flush=True)
            os._exit(0)
        os.close(alive)
        os.waitpid(first, 0)
        for attempt in range(100):
            try:
                with open("/proc/sys/kernel/ns_last_pid", "w") as last:
                    last.write(str(first - 1))
            except OSError as error:
                print("pids cannot be chosen:", error, flush=True)
                sys.exit()
            next = os.fork()
            if next == 0:
                signal.pause()
            if next == first:
                break
            os.kill(next, signal.SIGKILL)
            os.waitpid(next, 0)
        else:
            print("pids cannot be chosen: another process was faster", flush=True)
            sys.exit()
        with open(cgroup + "/cgroup.procs", "w") as members:
            members.write(str(next))
        print("reused", flush=True)
        os.write(tell, b"x")
        os.read(over, 1)
        os.kill(next, signal.SIGKILL)
        os.waitpid(next, 0)
        """

    @Test(
        "a process that reuses the pid of one that had connected is not mistaken for it",
        .enabled(if: RealCgroup.missing == nil && Python.isInstalled, "\(RealCgroup.missing ?? "no Python")")
    )
    func reuse() throws {
        let daemon = try DaemonProcess()
        let cgroup = try RealCgroup("reuse")
        let client = try Python.start(Self.script, [daemon.socket, cgroup.directory])
        let first = try #require(client.line { _ in true })
        // Only root of the machine can choose pids, and only while other processes do not start programs all the time.
        guard first == "reused" else { return #expect(first.hasPrefix("pids cannot be chosen")) }
        let scope = try #require(client.line(startingWith: "scope "))
        #expect(!scope.hasSuffix(cgroup.name), "it is in the other's cgroup")
        _ = client.rest()
    }
}
