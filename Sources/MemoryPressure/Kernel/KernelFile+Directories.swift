internal import CLinux

extension KernelFile {
    /// Calls `body` with the name of each entry of a directory, in no particular order, and whether the entry is a
    /// directory.
    ///
    /// Links are not followed. The name consists of bytes that need not be UTF-8; they are invalid after `body`.
    ///
    /// - Throws: ``KernelError`` with the errno of opendir(3) or readdir(3).
    package static func forEachEntry(
        in path: String,
        _ body: (_ name: Slice<UnsafeRawBufferPointer>, _ isDirectory: Bool) -> Void
    ) throws(KernelError) {
        guard let stream = opendir(path) else { throw KernelError("read the folder", path, errno: errno) }
        defer { closedir(stream) }
        while true {
            // Only errno distinguishes the end from a failure.
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw KernelError("read the folder", path, errno: errno) }
                return
            }
            withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                body(bytes.prefix { $0 != 0 }, entry.pointee.d_type == UInt8(DT_DIR))
            }
        }
    }

    /// The names of the directories in a directory, in no particular order.
    ///
    /// Links are not followed, and names that are not UTF-8 are left out.
    ///
    /// - Throws: ``KernelError`` with the errno of opendir(3) or readdir(3).
    package static func directories(in path: String) throws(KernelError) -> [String] {
        var names: [String] = []
        try forEachEntry(in: path) { bytes, isDirectory in
            guard isDirectory, let name = String(validating: bytes, as: UTF8.self), name != ".", name != ".." else {
                return
            }
            names.append(name)
        }
        return names
    }
}
