/// How large archives may be, in files and built in code.
package enum ArchiveLimits {
    /// The bytes of a file, and of a saved state.
    package static let bytes = 16 << 20
    /// The scenes, views and further objects of one archive.
    package static let objects = 100_000
    /// The controllers and views that one instantiation of a scene makes, and the views and objects of a nib.
    package static let instantiated = 10_000
    /// The depth of scenes inside scenes.
    package static let scenesDeep = 64
    /// The depth of views inside views; values in a file may be 256 deep, which allows half as many views.
    package static let viewsDeep = 256
    /// The problems that are listed for one file; the others are only counted.
    package static let problems = 100
}

extension NibArchive {
    /// The number of views and further objects, found without recursion; the count stops one above the limit.
    package var objectCount: Int { size.objects }

    /// The limit that the nib exceeds, in words; `nil` if it can be loaded.
    var excess: String? {
        let (objects, depth) = size
        if objects > ArchiveLimits.instantiated { return "it has \(ArchiveLimits.tooManyObjects)" }
        return depth > ArchiveLimits.viewsDeep ? "its views lie more than \(ArchiveLimits.viewsDeep) deep" : nil
    }

    private var size: (objects: Int, depth: Int) {
        var level = [view]
        var count = objects.count
        var depth = 0
        while !level.isEmpty, count <= ArchiveLimits.instantiated, depth <= ArchiveLimits.viewsDeep {
            count += level.count
            depth += 1
            level = level.flatMap(\.subviews)
        }
        return (count, depth)
    }
}
