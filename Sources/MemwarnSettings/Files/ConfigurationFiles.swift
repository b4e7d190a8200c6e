import CLinux
import MemoryPressure
package import WarningPolicy

extension Settings {
    /// Where the system's configuration is.
    package static let systemPath = "/etc/memwarnd/memwarnd.toml"
}

/// The files that make a configuration: one, and the drop-ins in the folder of the same name with `.d` after it.
struct ConfigurationFiles {
    /// The file that comes first.
    let main: String
    /// Whether it has to be there.
    let isRequired: Bool

    /// The configuration at `path`, or the system's if that is `nil`.
    init(of path: String?) {
        main = path ?? Settings.systemPath
        isRequired = path != nil
    }

    /// The drop-ins, `*.toml` in the order of their names as bytes; hidden files are none.
    ///
    /// - Throws: ``KernelError`` if there is a folder that cannot be read.
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
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { "\(folder)/\($0)" }
    }
}
