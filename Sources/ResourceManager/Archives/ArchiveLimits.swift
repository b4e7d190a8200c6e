/// How large archives may be, in files and built in code.
package enum ArchiveLimits {
    /// The bytes of a file, and of a saved state.
    package static let bytes = 16 << 20
    /// The scenes, views and further objects of one archive.
    package static let objects = 100_000
    /// The controllers and views that instantiating a scene stands for, and the views and objects of a nib.
    package static let instantiated = 10_000
    /// The scenes in each other.
    package static let scenesDeep = 64
    /// The views in each other; the 256 values of a file hold half as many.
    package static let viewsDeep = 256
    /// The problems that are given of one file; the others are counted.
    package static let problems = 100
}

extension NibArchive {
    /// The views and further objects; found without recursion, and counted up to one more than the limit.
    package var objectCount: Int { size.objects }

    /// What is too large in it; `nil` if it can be loaded.
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
