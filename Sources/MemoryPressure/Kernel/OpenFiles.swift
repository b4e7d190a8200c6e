internal import CLinux

/// Kernel files that stay open between readings.
///
/// Opening and closing a cgroup's file takes several times as long as reading it, and hosts wait for their warning
/// meanwhile. A file that cannot be read any more, because its cgroup is gone, is opened once more: another cgroup may
/// have its name.
///
/// Used by one thread at a time.
package final class OpenFiles {
    private struct File {
        let path: String
        /// Of the path; found faster than by comparing paths, which begin alike.
        let hash: UInt64
        let descriptor: CInt
        var lastUse: UInt64
    }

    private var files: [File] = []
    private var uses: UInt64 = 0
    private let limit: Int
    /// Not an array, whose bytes would have to be set first: after seconds of sleep each of these lines is a cache miss.
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)

    /// Keeps up to `limit` files open, those that were used last.
    ///
    /// The kernel keeps a page for each of them: 128 take half a megabyte, and suffice for some thirty cgroups with
    /// limits.
    package init(limit: Int = 128) {
        self.limit = limit
    }

    deinit {
        for file in files { CLinux.close(file.descriptor) }
        buffer.deallocate()
    }

    /// The number of open files.
    package var count: Int { files.count }

    /// Reads a file of up to 16 KiB, such as `/proc/vmstat` with its 4 to 5 KiB, and hands the bytes to `parse`.
    ///
    /// The rest of a longer file is cut off. The pointer is invalid after `parse`, which must not read another file.
    ///
    /// - Throws: ``KernelError`` with the errno of open(2) or pread(2); `EBADMSG` if `parse` returns `nil`.
    package func whole<Result>(
        _ path: String,
        _ parse: (UnsafeRawBufferPointer) -> Result?
    ) throws(KernelError) -> Result {
        let count = try fill(from: path, atOnce: false)
        guard let result = parse(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else {
            throw KernelError("understand", path, errno: EBADMSG)
        }
        return result
    }

    /// Reads a file that contains one number; `nil` stands for the word `max`.
    ///
    /// - Throws: ``KernelError``; `EBADMSG` stands for a text that is neither.
    package func number(in path: String) throws(KernelError) -> UInt64? {
        let count = try fill(from: path, atOnce: true)
        let line = UnsafeRawBufferPointer(rebasing: buffer[..<count]).prefix { $0 != UInt8(ascii: "\n") }
        if line.elementsEqual("max".utf8) { return nil }
        guard let number = UInt64(decimal: line) else { throw KernelError("understand", path, errno: EBADMSG) }
        return number
    }

    /// Reads a file into the buffer, and keeps the file open; with `atOnce`, the first read returns all that counts.
    ///
    /// - Returns: The number of bytes.
    /// - Throws: ``KernelError`` with the errno of open(2) or pread(2).
    private func fill(from path: String, atOnce: Bool) throws(KernelError) -> Int {
        let hash = Self.hash(path)
        uses += 1
        if let index = index(of: path, hash) {
            files[index].lastUse = uses
            let count = read(files[index].descriptor, atOnce)
            if count > 0 { return count }
            CLinux.close(files.remove(at: index).descriptor)
        }
        let file = try open(path)
        let count = read(file.raw, atOnce)
        guard count >= 0 else { throw KernelError("read", path, errno: errno) }
        keep(File(path: path, hash: hash, descriptor: file.take(), lastUse: uses))
        return count
    }

    /// Opens a file; if no descriptor is left, one of the files that are kept gives up its own.
    ///
    /// So a file that does not exist is known not to exist during a shortage too: open(2) fails with EMFILE before the
    /// kernel looks at the path.
    private func open(_ path: String) throws(KernelError) -> Descriptor {
        do throws(KernelError) {
            return try Descriptor(opening: path, O_RDONLY)
        } catch {
            guard error.errno == EMFILE || error.errno == ENFILE, closeOldest() else { throw error }
            return try Descriptor(opening: path, O_RDONLY)
        }
    }

    /// - Returns: The number of bytes; -1 with an errno if the file cannot be read.
    private func read(_ descriptor: CInt, _ atOnce: Bool) -> Int {
        var count = 0
        // The kernel returns a file made of records, such as vmstat, one page at a time.
        while count < buffer.count {
            let more = retryingInterrupted {
                pread(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count, off_t(count))
            }
            guard more >= 0 else { return -1 }
            count += more
            if more == 0 || atOnce { break }
        }
        return count
    }

    private func index(of path: String, _ hash: UInt64) -> Int? {
        // Bytes, like the kernel: two paths that look the same to a person may be two files.
        files.firstIndex { $0.hash == hash && $0.path.utf8.elementsEqual(path.utf8) }
    }

    /// FNV-1a: a path that its owner chose to collide with another one only costs the comparison.
    private static func hash(_ path: String) -> UInt64 {
        path.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    private func keep(_ file: File) {
        if files.count >= limit { _ = closeOldest() }
        files.append(file)
    }

    /// Closes the file that was used least recently; `false` if there is none.
    private func closeOldest() -> Bool {
        guard let oldest = files.indices.min(by: { files[$0].lastUse < files[$1].lastUse }) else { return false }
        CLinux.close(files.remove(at: oldest).descriptor)
        return true
    }

    /// Takes over the open files of another instance.
    package func take(from other: OpenFiles) {
        for var file in other.files {
            uses += 1
            file.lastUse = uses
            if index(of: file.path, file.hash) == nil { keep(file) } else { CLinux.close(file.descriptor) }
        }
        other.files = []
    }

    /// Closes the files in a directory and below it, because its cgroup is no longer of interest.
    package func close(below directory: String) {
        let prefix = directory + "/"
        files.removeAll { file in
            guard file.path.utf8.starts(with: prefix.utf8) else { return false }
            CLinux.close(file.descriptor)
            return true
        }
    }
}
