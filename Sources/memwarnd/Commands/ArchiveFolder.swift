import Glibc
import ResourceArchives

/// The nibs that lie in a folder.
enum ArchiveFolder {
    /// The names of the nibs in the folder of a file; none if it cannot be read.
    static func nibs(beside path: String) -> Set<String> {
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "."
        guard let stream = opendir(String(folder)) else { return [] }
        defer { closedir(stream) }
        var names: Set<String> = []
        while let entry = readdir(stream) {
            let file = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let name = nib(of: file) { names.insert(name) }
        }
        return names
    }

    /// The name of the nib that a file is called after; `nil` if it is called like none.
    static func nib(of file: String) -> String? {
        ArchiveFormat(ofFile: file) == .nib ? String(file.dropLast(ArchiveFormat.nib.suffix.count)) : nil
    }
}
