internal import CLinux
internal import CSystemd

/// An anonymous file of many small records that outlive their process in the service manager's file descriptor store.
///
/// Each record has a place of ``placeSize`` bytes and is replaced as a whole: it lies within one page, which the kernel
/// copies in one step. So even if its process is killed at any moment, the next reader finds the old record or the new
/// one. One process writes at a time, and no other reads meanwhile. See memfd_create(2).
///
/// Writing and reading are one system call each, and do not block on a device.
public final class RecordFile {
    /// The descriptor, close-on-exec, closed with this object.
    public let fd: CInt

    /// A power of two, so that no record crosses a page.
    private static let placeSize = 128
    /// The largest size of a record in bytes; the first byte of its place holds the size.
    public static let recordLimit = placeSize - 1

    /// A new file without records.
    ///
    /// - Parameter name: Its name in `/proc/self/fd`; 249 bytes at most.
    /// - Throws: ``SystemdError`` if no descriptor or memory is left, or the name is too long (`EINVAL`).
    public init(name: String) throws(SystemdError) {
        let fd = memwarnd_memfd_create(name)
        guard fd >= 0 else { throw SystemdError("make a memory file", errno: errno) }
        self.fd = fd
    }

    /// Takes ownership of the descriptor of a file that came back from the store.
    public init(adopting fd: CInt) {
        self.fd = fd
    }

    deinit {
        close(fd)
    }

    /// The number of places, including those that were never written.
    ///
    /// - Throws: ``SystemdError`` with the error of fstat(2).
    public func count() throws(SystemdError) -> Int {
        var status = stat()
        guard fstat(fd, &status) == 0 else { throw failed("look at", errno) }
        return (Int(status.st_size) + Self.placeSize - 1) / Self.placeSize
    }

    /// Replaces the record at a place.
    ///
    /// - Throws: ``SystemdError``: `ENOMEM` or `ENOSPC` if memory is short. The old record is still there then.
    /// - Precondition: The record has 1 to ``recordLimit`` bytes, and the place is not negative.
    public func write(_ record: [UInt8], at place: Int) throws(SystemdError) {
        guard (1...Self.recordLimit).contains(record.count), place >= 0 else { trap("no record or no place") }
        let bytes = [UInt8(record.count)] + record
        let count = bytes.withUnsafeBytes { pwrite(fd, $0.baseAddress, $0.count, off_t(place * Self.placeSize)) }
        guard count == bytes.count else { throw failed("write", count < 0 ? errno : ENOSPC) }
    }

    /// The record at a place; `nil` if none was ever written there.
    ///
    /// - Throws: ``SystemdError`` with the error of pread(2).
    public func read(at place: Int) throws(SystemdError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: Self.placeSize)
        let count = bytes.withUnsafeMutableBytes { pread(fd, $0.baseAddress, $0.count, off_t(place * Self.placeSize)) }
        guard count >= 0 else { throw failed("read", errno) }
        let size = Int(bytes[0])
        guard (1..<max(1, count)).contains(size) else { return nil }
        return Array(bytes[1...size])
    }

    private func failed(_ verb: String, _ number: CInt) -> SystemdError {
        SystemdError("\(verb) the record file at file descriptor \(fd)", errno: number)
    }
}
