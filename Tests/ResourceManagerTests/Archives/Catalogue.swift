import ResourceManager

/// Archives in memory.
struct Catalogue: ArchiveSource {
    struct Unreadable: Error, CustomStringConvertible {
        let description = "line 3: expected a name"
    }

    var nibs: [String: NibArchive] = [:]
    var storyboards: [String: StoryboardArchive] = [:]
    var unreadable: Set<String> = []

    func nib(named name: String) throws -> NibArchive? {
        if unreadable.contains(name) { throw Unreadable() }
        return nibs[name]
    }

    func storyboard(named name: String) throws -> StoryboardArchive? {
        if unreadable.contains(name) { throw Unreadable() }
        return storyboards[name]
    }
}
