internal import CLinux
internal import MemoryPressure

/// The folder of a state's file, with the files that its writers need beside it.
struct StateFolder: ~Copyable {
    private static let newSuffix = ".new"
    private static let damagedSuffix = ".damaged"
    /// The age in seconds at which no writer uses a file any more.
    private static let leftoverAge = 60

    /// The path of the state's file.
    private let path: String
    private let folder: Descriptor
    private let lock: StateLock

    /// Opens the folder and takes the lock in it; waits at most this long for other writers.
    init(of path: String, timeout: Duration) throws(KernelError) {
        let folder = try Descriptor(opening: Self.folderPath(of: path), O_RDONLY | O_DIRECTORY)
        let lockSuffix = ".lock"
        lock = try StateLock(
            named: Self.name(of: path) + lockSuffix,
            in: folder,
            path: path + lockSuffix,
            timeout: timeout
        )
        self.folder = folder
        self.path = path
    }

    private var name: String { Self.name(of: path) }

    /// The path to which ``setAside()`` renames a state's file.
    static func damagedPath(of path: String) -> String { path + damagedSuffix }

    /// Renames the file, replacing one that was renamed before; returns `false` if that fails.
    func setAside() -> Bool { renameat(folder.raw, name, folder.raw, name + Self.damagedSuffix) == 0 }

    /// Replaces the old file by one with these bytes, after they are on the disk.
    ///
    /// - Throws: `EINVAL` if there is a file of another kind, such as a device or a link, which stays.
    func replace(with bytes: [UInt8]) throws(KernelError) {
        try KernelFile.checkIsReplaceable(name, in: folder.raw, path: path)
        removeLeftovers()
        let suffix = Self.suffix()
        let newPath = path + suffix
        let raw = retryingInterrupted {
            openat(folder.raw, name + suffix, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard raw >= 0 else { throw KernelError("make", newPath, errno: errno) }
        let file = Descriptor(taking: raw)
        do throws(KernelError) {
            // The process's umask may have reduced the mode.
            guard fchmod(raw, 0o600) == 0 else { throw KernelError("set the mode of", newPath, errno: errno) }
            try Self.write(bytes, to: file, path: newPath)
            // The contents have to be on the disk before the name.
            try Self.sync(file, path: newPath)
            guard renameat(folder.raw, name + suffix, folder.raw, name) == 0 else {
                throw KernelError("replace", path, errno: errno)
            }
        } catch {
            unlinkat(folder.raw, name + suffix, 0)
            throw error
        }
        try Self.sync(folder, path: Self.folderPath(of: path))
    }

    /// Removes files of killed writers, including those of earlier versions, which had one name for all.
    private func removeLeftovers() {
        // Leftovers do not disturb writers: files that cannot be examined stay.
        try? KernelFile.forEachEntry(in: Self.folderPath(of: path)) { bytes, isDirectory in
            guard !isDirectory, let other = String(validating: bytes, as: UTF8.self), isNew(other) else { return }
            var status = stat()
            guard fstatat(folder.raw, other, &status, AT_SYMLINK_NOFOLLOW) == 0,
                status.st_mtim.tv_sec < time(nil) - Self.leftoverAge
            else { return }
            unlinkat(folder.raw, other, 0)
        }
    }

    /// Whether a file has a name of the new files that replace the state's file.
    private func isNew(_ other: String) -> Bool {
        guard other.hasPrefix(name), other.hasSuffix(Self.newSuffix) else { return false }
        let middle = other.dropFirst(name.count).dropLast(Self.newSuffix.count)
        let digits = middle.dropFirst()
        return middle.isEmpty
            || middle.first == "." && digits.count == Self.digits && digits.allSatisfy(\.isHexDigit)
    }

    private static let digits = 16

    /// A suffix that no other writer uses.
    private static func suffix() -> String {
        let number = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        return "." + String(repeating: "0", count: digits - number.count) + number + newSuffix
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

    private static func sync(_ file: borrowing Descriptor, path: String) throws(KernelError) {
        let raw = file.raw
        guard retryingInterrupted({ fsync(raw) }) == 0 else { throw KernelError("sync", path, errno: errno) }
    }

    static func folderPath(of path: String) -> String {
        guard let slash = lastSlash(of: path) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func name(of path: String) -> String {
        lastSlash(of: path).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    }

    /// Of its bytes, as the kernel reads it: with a combining character after it a slash is not a `Character`.
    private static func lastSlash(of path: String) -> String.Index? { path.utf8.lastIndex(of: UInt8(ascii: "/")) }
}
