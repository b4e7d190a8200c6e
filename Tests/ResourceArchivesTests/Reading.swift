import ResourceArchives
import ResourceManager
import Testing

/// Reads archives that are given as literals.
enum Reading {
    /// Reads a nib; `body` follows the header.
    static func nib(_ body: String) throws -> NibArchive {
        let reading = ArchiveReading(Array("{\"format\":\"nib\",\"version\":1,\n\(body)}".utf8), file: "n.json")
        #expect(reading.problems == [])
        guard case .nib(let nib) = reading.content else { throw Unexpected(reading: reading) }
        return nib
    }

    /// Reads a storyboard; `body` follows the header.
    static func storyboard(_ body: String) throws -> StoryboardArchive {
        let reading = ArchiveReading(Array("{\"format\":\"storyboard\",\"version\":1,\n\(body)}".utf8), file: "s.json")
        #expect(reading.errors == [])
        guard case .storyboard(let storyboard) = reading.content else { throw Unexpected(reading: reading) }
        return storyboard
    }

    /// The problems of an archive, one per line, without the file's name.
    ///
    /// A problem does not prevent the others from being found.
    static func problems(_ format: String, _ body: String, nibs: Set<String>? = nil) -> [String] {
        let text = "{\"format\":\"\(format)\",\"version\":1,\n\(body)}"
        let reading = ArchiveReading(Array(text.utf8), file: "x", nibs: nibs)
        #expect((reading.content == nil) == !reading.errors.isEmpty)
        return reading.problems.map { String($0.description.dropFirst(2)) }
    }

    struct Unexpected: Error {
        let reading: ArchiveReading
    }
}
