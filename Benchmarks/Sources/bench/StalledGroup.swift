internal import Glibc

/// A cgroup in which memory can be made short.
///
/// If the memory controller is on v2, it is one cgroup with `memory.high`. On a hybrid host it is a pair: a v1 cgroup
/// with the limit, and a v2 cgroup to which the kernel attributes the stalls.
final class StalledGroup {
    /// The v2 directory, whose `memory.pressure` shows the stalls.
    let directory: String
    /// The cgroups that a process has to join to be short of memory.
    let directories: [String]
    /// The cgroup that has the limit.
    var limited: String { directories[0] }

    /// The reason why no such cgroup can be made.
    struct Unavailable: Error, CustomStringConvertible {
        let description: String
    }

    private static let limit = "24M"

    init() throws {
        let name = "memwarnd-bench-\(getpid())"
        guard let unified = try Self.own(controller: "") else {
            throw Unavailable(description: "no cgroup v2 hierarchy is mounted")
        }
        let directory = unified + "/" + name
        guard mkdir(directory, 0o755) == 0 else {
            throw Unavailable(description: "no cgroup may be made in \(unified)")
        }
        if access(directory + "/memory.high", W_OK) == 0 {
            (self.directory, directories) = (directory, [directory])
            try writeText(Self.limit, to: directory + "/memory.high")
            return
        }
        let limited = try Self.own(controller: "memory").map { $0 + "/" + name }
        guard let limited, mkdir(limited, 0o755) == 0 else {
            rmdir(directory)
            throw Unavailable(description: "no memory controller can be used")
        }
        (self.directory, directories) = (directory, [limited, directory])
        try writeText(Self.limit, to: limited + "/memory.limit_in_bytes")
    }

    deinit {
        // The kernel answers EBUSY while it is still emptying a cgroup whose processes have ended.
        for directory in directories {
            for _ in 0..<200 where rmdir(directory) != 0 && errno == EBUSY { usleep(10_000) }
        }
    }

    /// The directory of this process's cgroup in the hierarchy of a v1 controller, or of v2 if `controller` is "".
    private static func own(controller: String) throws -> String? {
        let groups = try readText("/proc/self/cgroup").split(separator: "\n")
        let mounts = try readText("/proc/self/mountinfo").split(separator: "\n")
        let group = groups.map { $0.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false) }
            .first { $0[1] == controller }
        let mount = mounts.map { $0.split(separator: " ") }.first { fields in
            guard let separator = fields.firstIndex(of: "-") else { return false }
            return controller.isEmpty
                ? fields[separator + 1] == "cgroup2"
                : fields[separator + 1] == "cgroup" && fields[separator + 3].split(separator: ",").contains("memory")
        }
        guard let group, let mount else { return nil }
        return String(mount[4]) + (group[2] == "/" ? "" : String(group[2]))
    }
}
