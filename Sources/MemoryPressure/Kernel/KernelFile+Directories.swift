internal import Glibc

extension KernelFile {
    /// The names of the directories in a directory, in no particular order.
    ///
    /// Links are not followed, and names that are no UTF-8 left out.
    ///
    /// - Throws: ``KernelError`` with the errno of opendir(3) or readdir(3).
    static func directories(in path: String) throws(KernelError) -> [String] {
        guard let stream = opendir(path) else { throw KernelError("list", path, errno: errno) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            // Only errno tells the end from a failure.
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw KernelError("list", path, errno: errno) }
                return names
            }
            guard entry.pointee.d_type == UInt8(DT_DIR) else { continue }
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let name, name != ".", name != ".." { names.append(name) }
        }
    }
}
