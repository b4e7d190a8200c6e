internal import CLinux

/// Reads the kernel's text files, which the kernel generates at every read.
package enum KernelFile {
    /// Reads an open file from its start and hands the bytes to `body`; nothing is allocated on the heap.
    ///
    /// A file longer than `limit` is cut there. The pointer is invalid after `body`.
    ///
    /// - Throws: ``KernelError`` with pread(2)'s errno: `ENODEV` means that the file's cgroup is gone, `EOPNOTSUPP`
    ///   that PSI is compiled in but switched off.
    package static func read<Result>(
        _ descriptor: CInt,
        path: @autoclosure () -> String,
        limit: Int,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) throws(KernelError) -> Result {
        var failure: CInt = 0
        let result: Result? = withUnsafeTemporaryAllocation(byteCount: limit, alignment: 16) { buffer in
            let count = retryingInterrupted { pread(descriptor, buffer.baseAddress, limit, 0) }
            guard count >= 0 else {
                failure = errno
                return nil
            }
            return body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        guard let result else { throw KernelError("read", path(), errno: failure) }
        return result
    }

    /// The whole text of a file that may be long, such as `mountinfo`; `limit` is in bytes.
    ///
    /// - Throws: ``KernelError`` with the errno of open(2) or pread(2); `EFBIG` stands for a text beyond the limit;
    ///   little more than the limit is read.
    package static func text(of path: String, limit: Int = .max) throws(KernelError) -> String {
        let file = try Descriptor(opening: path, O_RDONLY)
        return try text(file.raw, path: path, limit: limit)
    }

    /// The whole text of an open file that may be long, from its start; `limit` is in bytes.
    ///
    /// - Throws: ``KernelError`` with pread(2)'s errno; `EFBIG` stands for a text beyond the limit.
    package static func text(_ descriptor: CInt, path: String, limit: Int = .max) throws(KernelError) -> String {
        String(decoding: try bytes(descriptor, path: path, limit: limit), as: UTF8.self)
    }

    /// All bytes of an open file that may be long, from its start; `limit` is their maximum number.
    ///
    /// - Throws: ``KernelError`` with pread(2)'s errno; `EFBIG` stands for a file beyond the limit.
    package static func bytes(_ descriptor: CInt, path: String, limit: Int = .max) throws(KernelError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = retryingInterrupted { pread(descriptor, &chunk, chunk.count, off_t(bytes.count)) }
            guard count >= 0 else { throw KernelError("read", path, errno: errno) }
            if count == 0 { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { throw KernelError("read", path, errno: EFBIG) }
        }
    }

    /// Whether a file exists at `path` that this process may see.
    package static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// Checks that a new file may take the place of the one with this name in a folder: there is none, or it is regular.
    ///
    /// A rename would replace a device, a pipe or a link as well. It refuses by itself to replace a folder.
    ///
    /// - Throws: ``KernelError`` with `EINVAL` and the path.
    package static func checkIsReplaceable(
        _ name: String,
        in folder: CInt = AT_FDCWD,
        path: String
    ) throws(KernelError) {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG || kind == S_IFDIR else {
            throw KernelError("take for a regular file", path, errno: EINVAL)
        }
    }

    /// Whether the file at `path` is a regular file, on which a read never waits; `nil` if there is none.
    package static func isRegular(_ path: String) -> Bool? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT == S_IFREG : nil
    }
}
