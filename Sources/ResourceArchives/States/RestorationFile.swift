internal import CLinux
internal import MemoryPressure
public import ResourceManager

/// The file in which a service keeps over a restart where it was (rule 5.40).
///
/// Whenever the writer is killed, or the machine, the file holds the state from before or the new one, never a part.
/// Both calls block for the disk, and for another writer in the same folder: call them where that may be, best off the
/// actor that serves. They may be called from anywhere, by several processes as well.
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

    /// The file at this path; nothing is read or written yet.
    public init(path: String) {
        self.path = path
    }

    /// Replaces what is saved, if anything is; only the file's owner may read it.
    ///
    /// When this returns, the state is on the disk.
    ///
    /// - Throws: ``RestorationError/system(_:)`` with the failed call's errno, ``RestorationError/unwritable(_:)`` for
    ///   numbers that JSON does not have. What was saved before is still there then, unless only the last step failed,
    ///   which makes the folder's change last over a loss of power.
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
            try replace(with: bytes)
        } catch {
            throw .system(error)
        }
    }

    /// Reads what was saved; nothing that the file may hold is fatal.
    public func read() -> Contents {
        do throws(KernelError) {
            let folder = try lockedFolder()
            let raw = retryingInterrupted { openat(folder.raw, name, O_RDONLY | O_CLOEXEC) }
            guard raw >= 0 else { throw KernelError("open", path, errno: errno) }
            let bytes = try FileBytes.read(Descriptor(taking: raw), path: path)
            let log = ProblemLog(file: path)
            let root = ArchiveValue.root(bytes, log)
            if let state = root.flatMap(Self.state), !log.hasErrors { return .state(state) }
            let problems = log.problems(in: root?.node.text)
            // The folder is locked: this is still the file that was read.
            let isAside = renameat(folder.raw, name, folder.raw, name + Self.damagedSuffix) == 0
            return .damaged(.damaged(problems), setAsideAt: isAside ? path + Self.damagedSuffix : nil)
        } catch  where error.errno == ENOENT {
            return .none
        } catch {
            return .damaged(.system(error), setAsideAt: nil)
        }
    }

    private static let format = "state"
    private static let damagedSuffix = ".damaged"
    private static let newSuffix = ".new"

    private static func state(in root: ArchiveValue) -> Properties? {
        guard let section = root.section(StateKey.self),
            section.hasHeader(.format, format, .version)
        else { return nil }
        return section.required(.state, "the values that were saved")?.properties()
    }

    private func replace(with bytes: [UInt8]) throws(KernelError) {
        let folder = try lockedFolder()
        let new = name + Self.newSuffix
        // A writer that was killed may have left one.
        unlinkat(folder.raw, new, 0)
        let raw = retryingInterrupted {
            openat(folder.raw, new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard raw >= 0 else { throw KernelError("make", path + Self.newSuffix, errno: errno) }
        let file = Descriptor(taking: raw)
        do throws(KernelError) {
            try Self.write(bytes, to: file, path: path + Self.newSuffix)
            // Its contents have to be on the disk before its name is.
            guard fsync(file.raw) == 0 else { throw KernelError("sync", path + Self.newSuffix, errno: errno) }
            guard renameat(folder.raw, new, folder.raw, name) == 0 else {
                throw KernelError("replace", path, errno: errno)
            }
        } catch {
            unlinkat(folder.raw, new, 0)
            throw error
        }
        guard fsync(folder.raw) == 0 else { throw KernelError("sync", folderPath, errno: errno) }
    }

    private static func write(_ bytes: [UInt8], to file: borrowing Descriptor, path: String) throws(KernelError) {
        let raw = file.raw
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = retryingInterrupted { rest.withUnsafeBytes { CLinux.write(raw, $0.baseAddress, $0.count) } }
            guard count >= 0 else { throw KernelError("write", path, errno: errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// The open folder, which no other process has locked as long as it is open; a kill ends the lock too.
    private func lockedFolder() throws(KernelError) -> Descriptor {
        let folder = try Descriptor(opening: folderPath, O_RDONLY | O_DIRECTORY)
        let raw = folder.raw
        // Fails on filesystems that have no locks for folders, such as NFS. There is one writer at a time there, or
        // there has to be.
        _ = retryingInterrupted { flock(raw, LOCK_EX) }
        return folder
    }

    private var folderPath: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private var name: String { path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path }
}
