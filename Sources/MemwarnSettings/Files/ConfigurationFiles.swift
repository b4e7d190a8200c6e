import CLinux
import MemoryPressure
package import WarningPolicy

extension Settings {
    /// The path of the system's configuration.
    package static let systemPath = "/etc/memwarnd/memwarnd.toml"
}

/// The files of a configuration: the main file, and the drop-ins in the folder with the same name followed by `.d`.
struct ConfigurationFiles {
    /// The main file, which is read first.
    let main: String
    /// Whether it has to exist.
    let isRequired: Bool

    /// The configuration at `path`, or the system's if that is `nil`.
    init(of path: String?) {
        main = path ?? Settings.systemPath
        isRequired = path != nil
    }

    /// The drop-ins, `*.toml` in the byte order of their names, without hidden files.
    ///
    /// - Throws: ``KernelError`` if the folder exists and cannot be read.
    func dropIns() throws(KernelError) -> [String] {
        let folder = main + ".d"
        var names: [String] = []
        do throws(KernelError) {
            try KernelFile.forEachEntry(in: folder) { bytes, _ in
                let name = String(decoding: bytes, as: UTF8.self)
                if name.hasSuffix(".toml"), !name.hasPrefix(".") { names.append(name) }
            }
        } catch  where error.errno == ENOENT {
            return []
        }
        return names.ordered { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { "\(folder)/\($0)" }
    }
}
