internal import CLinux
internal import MemoryPressure
public import ResourceManager

/// The file in which a service keeps its state over a restart (rule 5.40).
///
/// Whenever the writer is killed, or the machine crashes, the file holds the old or the new state, never a part. Both
/// calls block for the disk, ``write(_:)`` also for another writer: call them where that is acceptable, preferably not
/// on the actor that serves. They may be called from any thread, and by several processes.
///
/// The folder has to be one that no other user can write to, such as one that `StateDirectory=` of a unit creates: the
/// promise does not cover files that others replace. Others may read it.
public struct RestorationFile: Sendable {
    /// The result of reading.
    public enum Contents: Equatable, Sendable {
        /// There is no file: the first start, or nothing was saved.
        case none
        /// The saved state.
        case state(Properties)
        /// There is a file, but it cannot be used.
        ///
        /// It was renamed to the path in `setAsideAt`, replacing an older one; if that is `nil`, the file could not be
        /// read or renamed, and still has its name.
        case damaged(RestorationError, setAsideAt: String?)
    }

    /// The file's path.
    public let path: String
    /// The maximum time that a call waits for another writer.
    public let lockTimeout: Duration

    /// Uses the file at this path; nothing is read or written yet.
    public init(path: String, lockTimeout: Duration = .seconds(2)) {
        self.path = path
        self.lockTimeout = lockTimeout
    }

    /// Replaces the saved state, if there is one; only the file's owner may read it.
    ///
    /// When this returns, the state is on the disk. Writers take turns with a lock on a file with the same name
    /// followed by `.lock`, which is not removed.
    ///
    /// - Throws: ``RestorationError/system(_:)`` with the failed call's errno: `EAGAIN` and the path of the lock if another
    ///   process holds that for longer than ``lockTimeout``, `EFBIG` for a state of more than 16 MiB, `EINVAL` for a path
    ///   with a NUL, and for a path of a device, a link or another file that is not regular.
    ///   ``RestorationError/unwritable(_:)`` for numbers that JSON does not have. The previous state is then still
    ///   saved, unless only the last step failed, which makes the change of the folder survive a loss of power.
    public func write(_ state: Properties) throws(RestorationError) {
        let document = Properties([
            StateKey.format.rawValue: .string(Self.format),
            StateKey.version.rawValue: .integer(1),
            StateKey.state.rawValue: .object(state),
        ])
        let bytes: [UInt8]
        do throws(PropertyEncodingError) {
            bytes = try document.json() + [UInt8(ascii: "\n")]
        } catch {
            throw .unwritable(error)
        }
        do throws(KernelError) {
            try checkPath(to: "write")
            // A state that could not be read again is not written.
            guard bytes.count <= ArchiveLimits.bytes else { throw KernelError("write", path, errno: EFBIG) }
            try StateFolder(of: path, timeout: lockTimeout).replace(with: bytes)
        } catch {
            throw .system(error)
        }
    }

    /// Reads the saved state; no contents of the file are fatal.
    ///
    /// It waits for a writer only if the file is damaged and has to be renamed.
    public func read() -> Contents {
        do throws(KernelError) {
            switch try decoded() {
            case .state(let state): return .state(state)
            case .problems(let problems): return setAside(problems)
            }
        } catch  where error.errno == ENOENT {
            return .none
        } catch {
            return .damaged(.system(error), setAsideAt: nil)
        }
    }

    private static let format = "state"

    private enum Decoded {
        case state(Properties)
        case problems([ArchiveProblem])
    }

    /// Refuses a path that the kernel would end at a NUL, and so take for another file's.
    private func checkPath(to operation: String) throws(KernelError) {
        if path.utf8.contains(0) { throw KernelError(operation, path, errno: EINVAL) }
    }

    private func decoded() throws(KernelError) -> Decoded {
        try checkPath(to: "read")
        let log = ProblemLog(file: path)
        let root = ArchiveValue.root(try FileBytes.read(path), log)
        if let root, let state = Self.state(in: root), !log.hasErrors { return .state(state) }
        return .problems(log.problems(in: root?.node.text))
    }

    private static func state(in root: ArchiveValue) -> Properties? {
        guard let section = root.section(StateKey.self), section.hasHeader(.format, format, .version) else {
            return nil
        }
        return section.required(.state, "the values that were saved")?.properties()
    }

    private func setAside(_ problems: [ArchiveProblem]) -> Contents {
        let aside = StateFolder.damagedPath(of: path)
        do throws(KernelError) {
            let folder = try StateFolder(of: path, timeout: lockTimeout)
            // Another process may have written the file since.
            if case .state(let state) = try decoded() { return .state(state) }
            return .damaged(.damaged(problems), setAsideAt: folder.setAside() ? aside : nil)
        } catch  where error.errno == ENOENT {
            // Another process was faster.
            return .damaged(.damaged(problems), setAsideAt: aside)
        } catch {
            return .damaged(.damaged(problems), setAsideAt: nil)
        }
    }
}
