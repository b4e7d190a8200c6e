public import CLinux
internal import MemoryPressure

/// A test's own cgroup in which it can cause real memory pressure.
///
/// If the memory controller is on v2, this is one cgroup with `memory.high`. On a hybrid host it is a pair: a v1 cgroup with the
/// limit, and a v2 cgroup that counts the stalls.
public final class PressureGroup {
    /// The v2 directory: its `memory.pressure` shows the stalls.
    public let directory: String
    /// All directories of cgroups that a process has to join.
    public let directories: [String]

    /// Creates the cgroup, named after this process and `name`.
    ///
    /// `limit` is the memory that its processes may keep, in MiB.
    ///
    /// - Throws: ``Unavailable`` if this process may not create cgroups or there is no controller.
    public init(_ name: String, limit: Int) throws {
        guard let own = try? Cgroup.of(.current), let mount = try Self.mountPoint() else {
            throw Unavailable("no cgroup v2 hierarchy is mounted")
        }
        let name = "memwarnd-\(getpid())-\(name)"
        // Below our own cgroup there is no memory controller as long as this process is in it; below the root there may be one.
        let top = mount + "/" + name
        if mkdir(top, 0o755) == 0 {
            if KernelFile.exists(top + "/memory.high") {
                directory = top
                directories = [top]
                try Self.write("\(limit)M", to: top + "/memory.high")
                return
            }
            rmdir(top)
        }
        let unified = own.directory + "/" + name
        guard mkdir(unified, 0o755) == 0 else {
            throw Unavailable("cannot make a cgroup in \(own.directory): \(String(cString: strerror(errno)))")
        }
        let limited = try Self.versionOneDirectory().map { $0 + "/" + name }
        guard let limited, mkdir(limited, 0o755) == 0 else {
            rmdir(unified)
            throw Unavailable("no memory controller can be used: \(String(cString: strerror(errno)))")
        }
        directory = unified
        directories = [limited, unified]
        try Self.write("\(limit)M", to: limited + "/memory.limit_in_bytes")
    }

    deinit {
        remove()
    }

    /// Removes the cgroup, which has to be empty.
    public func remove() {
        // A cgroup can be removed once its last process was reaped, which its parent has done by now. The kernel may still be
        // emptying it, and returns EBUSY until it is done.
        for directory in directories {
            for _ in 0..<200 where rmdir(directory) != 0 && errno == EBUSY { usleep(10_000) }
        }
    }

    /// Moves a process out of the cgroup, to the parent cgroup.
    public static func moveToParent(_ pid: pid_t, from group: PressureGroup) throws {
        for directory in group.directories {
            let parent = directory.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
                separator: "/"
            )
            try write("\(pid)", to: parent + "/cgroup.procs")
        }
    }

    /// Starts children that stall on memory in this cgroup for this number of seconds.
    public func thrash(seconds: Int, mebibytes: Int = 96, children: Int = 4) throws -> ChildProcess {
        let file = "/var/tmp/memwarnd-thrash-\(getpid())-\(directory.hashValue)"
        return try ChildProcess("thrash", [file, "\(mebibytes)", "\(children)", "\(seconds)"] + directories)
    }

    /// The reason why pressure cannot be caused here.
    public struct Unavailable: Error, CustomStringConvertible {
        /// One sentence.
        public let description: String
        init(_ description: String) { self.description = description }
    }

    private static func mountPoint() throws -> String? {
        CgroupMount.all(inMountinfo: try KernelFile.text(of: "/proc/self/mountinfo")).first?.directory
    }

    private static func versionOneDirectory() throws -> String? {
        let text = try KernelFile.text(of: "/proc/self/cgroup")
        let mounts = try KernelFile.text(of: "/proc/self/mountinfo")
        guard
            let line = text.split(separator: "\n").first(where: {
                $0.split(separator: ":").dropFirst().first == "memory"
            }),
            let mount = mounts.split(separator: "\n").first(where: {
                $0.contains(" - cgroup ") && $0.split(separator: ",").last == "memory"
            })
        else { return nil }
        let path = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)[2]
        return String(mount.split(separator: " ")[4]) + path
    }

    private static func write(_ text: String, to path: String) throws {
        let file = open(path, O_WRONLY | O_CLOEXEC)
        let written = text.withCString { CLinux.write(file, $0, strlen($0)) }
        let failure = errno
        close(file)
        guard written >= 0 else { throw Unavailable("cannot write \(path): \(String(cString: strerror(failure)))") }
    }
}

/// Whether a test can cause real pressure here, and the reason if it cannot: for `.enabled(if:)`.
public enum RealPressure {
    /// The reason, or `nil` if it can.
    public static let missing: String? = {
        do {
            _ = try PressureGroup("probe", limit: 24)
            return nil
        } catch {
            return "\(error)"
        }
    }()

    /// Whether it can, and the memory controller is on v2, with `memory.high` and `memory.events`.
    public static let hasVersionTwo: Bool = {
        guard let group = try? PressureGroup("version", limit: 24) else { return false }
        return group.directories.count == 1
    }()
}
