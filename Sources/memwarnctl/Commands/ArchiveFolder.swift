import MemoryPressure
import ResourceArchives

/// The nibs in a folder.
enum ArchiveFolder {
    /// The names of the nibs in the folder of a file; none if it cannot be read.
    static func nibs(beside path: String) -> Set<String> {
        let folder = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[...$0] } ?? "."
        var names: Set<String> = []
        try? KernelFile.forEachEntry(in: String(folder)) { file, _ in
            if let name = nib(of: String(decoding: file, as: UTF8.self)) { names.insert(name) }
        }
        return names
    }

    /// The name of the nib in a file's name; `nil` if the name is not that of a nib.
    static func nib(of file: String) -> String? {
        ArchiveFormat(ofFile: file) == .nib ? String(file.dropLast(ArchiveFormat.nib.suffix.count)) : nil
    }
}
