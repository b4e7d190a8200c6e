import CLinux
import MemoryPressure
import MemwarnProgram

/// A separate cgroup with a low memory limit.
///
/// If the memory controller is on v2, it is one cgroup with `memory.high`. On a hybrid host it is a pair: a v1 cgroup
/// with the limit, and a v2 cgroup to which the kernel charges the stalls.
final class PressureCgroup {
    /// All directories that a process has to join; the last is the v2 one, whose `memory.pressure` shows the stalls.
    let directories: [String]

    /// Creates it, with a limit in bytes.
    ///
    /// - Throws: ``Failure`` with the reason if it cannot be created here.
    init(limit: UInt64) throws(Failure) {
        let name = "/memwarnd-apply-\(getpid())"
        guard let own = try? Cgroup.of(.current), let memory = try? MemoryCgroup.of(.current) else {
            throw .notPermitted("no memory can be made short here: there is no cgroup v2 hierarchy")
        }
        var failure = KernelError("find memory.high in", memory.directory, errno: ENOENT)
        // On a hybrid host there is one place. Elsewhere there is no memory controller below this process's own cgroup
        // as long as it contains the process, but there may be one above it.
        let places =
            memory.version == .one ? [[memory.directory, own.directory]] : memory.lineage.map { [$0.directory] }
        let file = memory.version == .one ? "memory.limit_in_bytes" : "memory.high"
        for place in places {
            let directories = place.map { $0 + name }
            do throws(KernelError) {
                try Self.make(directories, limit: limit, file)
                self.directories = directories
                return
            } catch {
                failure = error
            }
        }
        throw .notPermitted("no memory can be made short here: \(failure); it takes the right to make limited cgroups")
    }

    deinit {
        _ = remove()
    }

    /// Removes it, if it is empty; returns whether it is gone.
    ///
    /// The kernel empties a cgroup a moment after its last process was waited for.
    func remove() -> Bool {
        directories.allSatisfy { rmdir($0) == 0 || errno == ENOENT }
    }

    /// How long tasks in it have stalled on memory; `nil` if the kernel does not count that.
    var stalls: PressureStall? {
        guard let unified = directories.last, let text = try? KernelFile.text(of: unified + "/memory.pressure") else {
            return nil
        }
        return Array(text.utf8).withUnsafeBytes { try? PressureStall(parsing: $0) }
    }

    private static func make(_ directories: [String], limit: UInt64, _ file: String) throws(KernelError) {
        do throws(KernelError) {
            for directory in directories {
                guard mkdir(directory, 0o755) == 0 else {
                    throw KernelError("make the cgroup", directory, errno: errno)
                }
            }
            try write("\(limit)", to: directories[0] + "/" + file)
        } catch {
            for directory in directories { rmdir(directory) }
            throw error
        }
    }

    /// Writes a cgroup's file.
    static func write(_ text: String, to path: String) throws(KernelError) {
        let file = try Descriptor(opening: path, O_WRONLY)
        let bytes = Array(text.utf8)
        guard retryingInterrupted({ CLinux.write(file.raw, bytes, bytes.count) }) >= 0 else {
            throw KernelError("write", path, errno: errno)
        }
    }
}
