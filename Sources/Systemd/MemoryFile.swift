internal import CLinux
internal import CSystemd

/// An anonymous file for a record that outlives its process in the service manager's file descriptor store.
///
/// It has one content, which is always replaced as a whole: even if its process is killed at any moment, or memory runs
/// out, the next reader finds the old content or the new one, never a part. One process writes at a time, and no other
/// reads meanwhile. See memfd_create(2).
///
/// Writing and reading copy memory, and do not block on a device.
public final class MemoryFile {
    /// The descriptor, close-on-exec, closed with this object.
    public let fd: CInt

    /// The header at the start of the file: position and length of the content, in the machine's byte order.
    private static let headerSize = 2 * MemoryLayout<UInt64>.size

    /// A new file without content.
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

    /// Replaces the content.
    ///
    /// - Throws: ``SystemdError``: `ENOMEM` or `ENOSPC` if memory is short, `EBADMSG` if the file is not of this kind.
    ///   The old content is still there then.
    public func write(_ content: [UInt8]) throws(SystemdError) {
        let old = try place()
        // The new content goes beside the old one, which stays valid until the header is written; the header lies
        // within one page, which the kernel copies in one step. Afterwards the file is cut behind the new content; if
        // that fails, it only costs memory.
        let start = Self.headerSize + content.count <= old.lowerBound ? Self.headerSize : old.upperBound
        try put(content, at: start)
        let header = [UInt64(start), UInt64(content.count)].withUnsafeBytes { Array($0) }
        try put(header, at: 0)
        ftruncate(fd, off_t(start + content.count))
    }

    /// Reads the content.
    ///
    /// - Parameter limit: The largest number of bytes it may have.
    /// - Returns: The bytes that were written last; empty if there are none.
    /// - Throws: ``SystemdError``: `EFBIG` if there are more bytes, `EBADMSG` if the file is not of this kind, or the
    ///   error of pread(2).
    public func read(limit: Int) throws(SystemdError) -> [UInt8] {
        let place = try place()
        guard place.count <= limit else { throw failed("read", EFBIG) }
        let content = try take(place.count, at: place.lowerBound)
        guard content.count == place.count else { throw failed("read", EBADMSG) }
        return content
    }

    /// The position of the content; in a new file right after the header, and empty.
    private func place() throws(SystemdError) -> Range<Int> {
        let header = try take(Self.headerSize, at: 0)
        guard !header.isEmpty else { return Self.headerSize..<Self.headerSize }
        guard header.count == Self.headerSize else { throw failed("read", EBADMSG) }
        let numbers = header.withUnsafeBytes { bytes in
            [bytes.loadUnaligned(as: UInt64.self), bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)]
        }
        // If the process was killed before it wrote its first header, there are zeros in its place.
        guard numbers != [0, 0] else { return Self.headerSize..<Self.headerSize }
        var status = stat()
        guard fstat(fd, &status) == 0 else { throw failed("look at") }
        let size = UInt64(status.st_size)
        guard numbers[0] >= Self.headerSize, numbers[0] <= size, numbers[1] <= size - numbers[0] else {
            throw failed("read", EBADMSG)
        }
        return Int(numbers[0])..<Int(numbers[0] + numbers[1])
    }

    private func put(_ bytes: [UInt8], at offset: Int) throws(SystemdError) {
        var done = 0
        while done < bytes.count {
            let count = bytes.withUnsafeBytes {
                pwrite(fd, $0.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset + done))
            }
            guard count > 0 else { throw failed("write") }
            done += count
        }
    }

    /// Reads up to `count` bytes.
    private func take(_ count: Int, at offset: Int) throws(SystemdError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let result = bytes.withUnsafeMutableBytes {
                pread(fd, $0.baseAddress?.advanced(by: done), count - done, off_t(offset + done))
            }
            guard result >= 0 else { throw failed("read") }
            guard result > 0 else { break }
            done += result
        }
        return Array(bytes.prefix(done))
    }

    private func failed(_ verb: String, _ number: CInt = errno) -> SystemdError {
        SystemdError("\(verb) the memory file at file descriptor \(fd)", errno: number)
    }
}
