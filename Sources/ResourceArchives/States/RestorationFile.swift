internal import CLinux
internal import MemoryPressure
public import ResourceManager

/// The file in which a service keeps over a restart where it was (rule 5.40).
///
/// Whenever the writer is killed, or the machine, the file holds the state from before or the new one, never a part.
/// Both calls block for the disk, ``write(_:)`` for another writer too: call them where that may be, best off the
/// actor that serves. They may be called from anywhere, by several processes as well.
///
/// The folder has to be one that no other user can write to, such as `StateDirectory=` of a unit makes: what others can put in the
/// files' place is outside of the promise. That they can read it does not matter.
public struct RestorationFile: Sendable {
    /// What came of reading.
    public enum Contents: Equatable, Sendable {
        /// There is no file: the first start, or nothing was saved.
        case none
        /// What was saved.
        case state(Properties)
        /// There is a file, but of no use.
        ///
        /// It was renamed to the path in `setAsideAt`, in the place of an older one; if that is `nil`, the file could
        /// not be read or not be renamed, and is where it was.
        case damaged(RestorationError, setAsideAt: String?)
    }

    /// The file's path.
    public let path: String
    /// How long a call waits for another writer at most.
    public let lockTimeout: Duration

    /// The file at this path; nothing is read or written yet.
    public init(path: String, lockTimeout: Duration = .seconds(2)) {
        self.path = path
        self.lockTimeout = lockTimeout
    }

    /// Replaces what is saved, if anything is; only the file's owner may read it.
    ///
    /// When this returns, the state is on the disk. Writers take turns by a lock on a file of the same name with `.lock` at
    /// its end, which stays.
    ///
    /// - Throws: ``RestorationError/system(_:)`` with the failed call's errno: `EAGAIN` and the path of the lock if another
    ///   process holds that for longer than ``lockTimeout``, `EFBIG` for a state of more than 16 MiB.
    ///   ``RestorationError/unwritable(_:)`` for numbers that JSON does not have. What was saved before is still there
    ///   then, unless only the last step failed, which makes the folder's change last over a loss of power.
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
            // What could not be read again is not written.
            guard bytes.count <= ArchiveLimits.bytes else { throw KernelError("write", path, errno: EFBIG) }
            try StateFolder(of: path, timeout: lockTimeout).replace(with: bytes)
        } catch {
            throw .system(error)
        }
    }

    /// Reads what was saved; nothing that the file may hold is fatal.
    ///
    /// It waits for no writer, unless the file is damaged and has to be set aside.
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

    private func decoded() throws(KernelError) -> Decoded {
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
            // Another process may have written since.
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
