internal import CLinux
public import ResourceManager

/// Nibs and storyboards in JSON: files `NAME.nib.json` and `NAME.storyboard.json` in folders, or bytes in memory.
///
/// Nothing is kept: each request reads and decodes the file again, blocking for the disk, so that a released view
/// leaves nothing behind and an edited file takes effect at the next load. Warnings about an archive are not reported;
/// `memwarnd archive check` shows them.
public struct JSONArchives: ArchiveSource, Sendable {
    private enum Place {
        case folder(String)
        case memory([String: [UInt8]])
    }

    private let places: [Place]

    /// Uses the archives in these folders; for each name the first folder that has it counts.
    public init(folders: [String]) {
        places = folders.map { .folder($0) }
    }

    /// Uses archives in memory, by their file names: `["Main.storyboard.json": bytes]`.
    public init(files: [String: [UInt8]]) {
        places = [.memory(files)]
    }

    /// The nib with this name; `nil` if there is no file for it (rules 1.5, 1.7).
    ///
    /// - Throws: ``ArchiveError`` for a file that cannot be read or used, with every problem in it.
    public func nib(named name: String) throws(ArchiveError) -> NibArchive? {
        guard let reading = try read(name, .nib) else { return nil }
        guard case .nib(let nib) = reading.content else { throw .invalid(reading.errors) }
        return nib
    }

    /// The storyboard with this name; `nil` if there is no file for it.
    ///
    /// - Throws: ``ArchiveError`` for a file that cannot be read or used, with every problem in it.
    public func storyboard(named name: String) throws(ArchiveError) -> StoryboardArchive? {
        guard let reading = try read(name, .storyboard) else { return nil }
        guard case .storyboard(let storyboard) = reading.content else { throw .invalid(reading.errors) }
        return storyboard
    }

    private func read(_ name: String, _ format: ArchiveFormat) throws(ArchiveError) -> ArchiveReading? {
        // This name would lead out of the folders, and no file in them can have it.
        guard !name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }) else { return nil }
        let file = name + format.suffix
        for place in places {
            switch place {
            case .memory(let files):
                if let bytes = files[file] { return ArchiveReading(bytes, file: file) }
            case .folder(let folder):
                do throws(KernelError) {
                    return try ArchiveReading(contentsOf: folder + "/" + file)
                } catch  where error.errno == ENOENT {
                    continue
                } catch {
                    throw .unreadable(error)
                }
            }
        }
        return nil
    }
}
