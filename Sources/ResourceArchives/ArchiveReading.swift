public import ResourceManager

/// The result of reading an archive: the archive, if it can be used, and all its problems.
public struct ArchiveReading: Sendable, Equatable {
    /// An archive of one of the formats.
    public enum Content: Sendable, Hashable {
        /// A nib.
        case nib(NibArchive)
        /// A storyboard.
        case storyboard(StoryboardArchive)
    }

    /// The archive; `nil` if one of the problems is an error.
    public let content: Content?
    /// The problems, in the order of the file.
    public let problems: [ArchiveProblem]

    /// Reads an archive; takes time and memory proportional to its length, and ends on any input.
    ///
    /// A file of more than 16 MiB is an error, and so is a file beyond the other limits of `docs/ARCHIVES.md`; of more
    /// than 100 problems the first are listed, followed by the number of the others.
    ///
    /// `file` is its name in problems. If the name ends in `.nib.json` or `.storyboard.json`, the archive has to have
    /// that format. Scenes whose nib is not among `nibs` are errors, unless that is `nil`.
    public init(_ json: [UInt8], file: String, nibs: Set<String>? = nil) {
        let log = ProblemLog(file: file)
        // Identifiers, class names and the names of scenes are compared.
        let root = ArchiveValue.root(json, log, textsAreKeys: true)
        let content = root.flatMap { root -> Content? in
            guard let format = Self.format(of: root) else { return nil }
            switch format {
            case .nib:
                guard let section = root.section(NibKey.self), section.hasHeader(.format, format.rawValue, .version)
                else { return nil }
                var decoder = NibDecoder()
                return .nib(
                    decoder.nib(
                        view: section[.view],
                        objects: section[.objects],
                        outlets: section[.outlets],
                        actions: section[.actions]
                    )
                )
            case .storyboard:
                guard let section = root.section(StoryboardKey.self),
                    section.hasHeader(.format, format.rawValue, .version)
                else { return nil }
                return .storyboard(StoryboardDecoder.storyboard(section, nibs: nibs))
            }
        }
        self.content = log.hasErrors ? nil : content
        problems = log.problems(in: root?.node.text)
    }

    /// Reads an archive's file; blocks for the disk.
    ///
    /// - Throws: `KernelError` for a file that cannot be read, or is not a regular file.
    public init(contentsOf path: String, nibs: Set<String>? = nil) throws(KernelError) {
        self.init(try FileBytes.read(path), file: path, nibs: nibs)
    }

    /// The problems that are errors.
    public var errors: [ArchiveProblem] { problems.filter { $0.severity == .error } }

    /// The format by the file's name, otherwise by its contents.
    private static func format(of root: ArchiveValue) -> ArchiveFormat? {
        if let format = ArchiveFormat(ofFile: root.log.file) { return format }
        guard case .object(let members) = root.node.value else { return root.mismatch("an object in { }") }
        guard let stated = members.first(where: { $0.name == NibKey.format.rawValue }) else {
            root.report("\"format\" is missing: say \"format\": \"nib\" or \"format\": \"storyboard\"")
            return nil
        }
        return ArchiveValue(node: stated.node, log: root.log).choice(ArchiveFormat.self)
    }
}
