internal import CLinux
internal import MemoryPressure

/// An empty cgroup of the test's own in the v2 hierarchy, removed when the test lets go of it.
public final class RealCgroup {
    /// Its directory.
    public let directory: String
    /// Its name, which is its own component of the path.
    public let name: String

    /// Why no cgroup can be made here, or `nil` if one can: for `.enabled(if:)`.
    public static let missing: String? = {
        do {
            _ = try RealCgroup("probe")
            return nil
        } catch {
            return "\(error)"
        }
    }()

    /// Makes one below this process's own, named after this process and `name`.
    ///
    /// - Throws: a sentence, where this process may not make cgroups.
    public init(_ name: String) throws {
        guard let own = try? Cgroup.of(.current) else {
            throw PressureGroup.Unavailable("no cgroup v2 hierarchy is mounted")
        }
        self.name = "memwarnd-\(getpid())-\(name)"
        directory = own.directory + "/" + self.name
        guard mkdir(directory, 0o755) == 0 else {
            throw PressureGroup.Unavailable(
                "cannot make a cgroup in \(own.directory): \(String(cString: strerror(errno)))"
            )
        }
    }

    deinit {
        remove()
    }

    /// Removes it now.
    public func remove() {
        rmdir(directory)
    }
}
