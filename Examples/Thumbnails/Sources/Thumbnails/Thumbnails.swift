import ResourceManager

/// The requested thumbnails, as JPEG files, limited only by memory pressure.
struct Thumbnails: Sendable {
    /// The photo and the width of a thumbnail.
    struct Key: Hashable, Sendable {
        let photo: Photo
        let width: Int
    }

    let cache: ResourceCache<Key, [UInt8]>
    private let studio: Studio

    init(_ studio: Studio) {
        self.studio = studio
        var options = ResourceCache<Key, [UInt8]>.Options()
        options.weigher = { _, file in file.count }
        cache = ResourceCache("thumbnails", options: options)
    }

    /// A thumbnail, from the cache or rendered; once for all concurrent requests.
    func thumbnail(_ key: Key) async throws -> [UInt8] {
        try await cache.load(key) { [studio] key in
            try await Self.render(studio.original(key.photo), width: key.width)
        }
    }

    @concurrent private static func render(_ picture: Picture, width: Int) async throws -> [UInt8] {
        try picture.scaled(toWidth: width).jpeg()
    }

    /// One line for each figure.
    var status: String {
        let statistics = cache.statistics
        return """
            thumbnails \(statistics.count)
            cached \(statistics.cost >> 20) MiB
            hits \(statistics.hits)
            misses \(statistics.misses)
            """
    }
}
