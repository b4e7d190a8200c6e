import CLinux
import MemoryPressure
import TestSupport
import Testing

struct MemoryLockTests {
    /// The value of a line in a process's status.
    private static func status(_ process: ChildProcess, _ key: String) throws -> String? {
        let text = try KernelFile.text(of: "/proc/\(process.pid)/status")
        return text.split(separator: "\n").first { $0.hasPrefix(key + ":") }?
            .split(whereSeparator: { $0 == "\t" || $0 == " " }).dropFirst().first.map(String.init)
    }

    /// Whether a process that this one starts may lock any amount of memory.
    static let isAllowed: Bool = {
        guard let text = try? KernelFile.text(of: "/proc/self/status"),
            let bits = text.split(separator: "\n").first(where: { $0.hasPrefix("CapEff:\t") })?.dropFirst(8)
        else { return false }
        return (UInt64(bits, radix: 16) ?? 0) & 1 << 14 != 0
    }()

    @Test("the daemon's memory is locked if that is allowed", .enabled(if: isAllowed, "it takes CAP_IPC_LOCK"))
    func locked() throws {
        let daemon = try DaemonProcess()
        // The event loop answers, and it starts after the lock.
        _ = try RawPeer(daemon, host: "host")
        let locked = try #require(try Self.status(daemon.process, "VmLck").flatMap { Int($0) })
        let size = try #require(try Self.status(daemon.process, "VmSize").flatMap { Int($0) })
        #expect(locked > size / 2, "of \(size) KiB \(locked) are locked")
        // Only touched pages are locked, not the whole address space.
        let resident = try #require(try Self.status(daemon.process, "VmRSS").flatMap { Int($0) })
        #expect(resident < locked * 3 / 4, "of \(locked) KiB \(resident) are resident")
    }

    @Test("without the setting nothing is locked", .enabled(if: isAllowed, "it takes CAP_IPC_LOCK"))
    func notConfigured() throws {
        let daemon = try DaemonProcess(configuration: "[process]\nlock-memory = false\n")
        _ = try RawPeer(daemon, host: "host")
        #expect(try Self.status(daemon.process, "VmLck") == "0")
    }

    @Test(
        "if locking is not permitted, the daemon reports it and runs",
        .enabled(if: OtherUser.missing == nil, "\(OtherUser.missing ?? "")")
    )
    func notAllowed() throws {
        let limited = ["/bin/sh", "-c", "ulimit -l 64 && exec \"$0\" \"$@\""]
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o777)
        let daemon = try ChildProcess(
            limited[0],
            Array(limited.dropFirst()) + OtherUser.wrapper + [
                try ChildProcess.path(of: "memwarnd"), "run", "--socket", directory.path + "/memwarnd.sock",
            ]
        )
        let line = daemon.line { $0.contains("cannot lock the daemon's memory: Operation not permitted (errno 1)") }
        #expect(line?.hasSuffix("; where it may be swapped out, give it LimitMEMLOCK=infinity or CAP_IPC_LOCK") == true)
        try RawPeer(path: directory.path + "/memwarnd.sock").register("host")
        #expect(try Self.status(daemon, "VmLck") == "0")
    }
}
