import Glibc
import MemoryPressure

/// The files that make a configuration: one, and the drop-ins in the folder of the same name with `.d` after it.
struct ConfigurationFiles {
    /// The file that comes first.
    let main: String
    /// Whether it has to be there.
    let isRequired: Bool

    /// The configuration at `path`, or the system's if that is `nil`.
    init(of path: String?) {
        main = path ?? Configuration.systemPath
        isRequired = path != nil
    }

    /// The drop-ins, `*.toml` in the order of their names as bytes; hidden files are none.
    ///
    /// - Throws: ``KernelError`` if there is a folder that cannot be read.
    func dropIns() throws(KernelError) -> [String] {
        let folder = main + ".d"
        guard let stream = opendir(folder) else {
            if errno == ENOENT { return [] }
            throw KernelError("read the folder", folder, errno: errno)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            // Only errno tells the end from a failure.
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw KernelError("read the folder", folder, errno: errno) }
                break
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".toml"), !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { "\(folder)/\($0)" }
    }
}
