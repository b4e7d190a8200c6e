internal import CLinux
internal import MemoryPressure

/// A test's own empty cgroup in the v2 hierarchy, removed when the test releases it.
public final class RealCgroup {
    /// Its directory.
    public let directory: String
    /// Its name, which is the last component of its path.
    public let name: String

    /// The reason why no cgroup can be created here, or `nil` if one can: for `.enabled(if:)`.
    public static let missing: String? = {
        do {
            _ = try RealCgroup("probe")
            return nil
        } catch {
            return "\(error)"
        }
    }()

    /// Creates a cgroup below this process's own, named after this process and `name`.
    ///
    /// - Throws: A sentence, if this process may not create cgroups.
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
