import CLinux
import MemoryPressure
import TestSupport
import Testing

/// A fake cgroup hierarchy whose pressure is the real machine's, so that triggers can be armed on its files.
///
/// Ordinary files do not accept triggers.
final class FakeCgroups {
    let kernel: FakeKernel

    /// Creates cgroups with these paths; `/` is the root, which has no `cgroup.events`, as in a real hierarchy.
    init(_ paths: [String], mountRoot: String = "/") throws {
        var files = [
            "/proc/self/mountinfo": "30 25 0:26 \(mountRoot) /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            "/proc/meminfo": "MemTotal: 1000000 kB\nMemAvailable: 900000 kB\n",
            "/sys/fs/cgroup/cgroup.procs": "",
        ]
        for path in paths where path != "/" { files["/sys/fs/cgroup\(path)/cgroup.events"] = "populated 1\n" }
        kernel = try FakeKernel(files)
        try kernel.directory("/proc/pressure")
        try linkPressure("/proc/pressure/memory")
        for path in paths { try linkPressure("/sys/fs/cgroup\(path == "/" ? "" : path)/memory.pressure") }
    }

    /// Moves a process to a cgroup.
    func move(_ pid: Int32, to path: String) throws {
        try kernel.set("/proc/\(pid)/cgroup", "1:name=systemd:/other\n0::\(path)\n")
    }

    private func linkPressure(_ path: String) throws {
        try #require(symlink("/proc/pressure/memory", kernel.path(path)) == 0, "cannot link \(path): errno \(errno)")
    }

    /// The reason why it cannot be created here, or `nil`.
    static let missing: String? = {
        do throws(KernelError) {
            let watch = try StallWatch(opening: KernelTree.live.hostPressure)
            return watch.triggers.isEmpty ? "no trigger can be armed here: \(watch.rungReason)" : nil
        } catch {
            return "this host has no PSI: \(error)"
        }
    }()
}
