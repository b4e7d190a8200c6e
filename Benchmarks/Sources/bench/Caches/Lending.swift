internal import ResourceManager

/// Reading a value in place, without retaining it: `withValue(for:)`.
///
/// `RESOURCE_CACHE_LENDS` is defined in the package's manifest where the library has it.
enum Lending {
    #if RESOURCE_CACHE_LENDS
    static let isThere = true

    @inline(__always)
    static func number<Key>(in cache: ResourceCache<Key, Payload>, for key: Key) -> Int? {
        cache.withValue(for: key) { $0.number }
    }
    #else
    static let isThere = false

    @inline(__always)
    static func number<Key>(in cache: ResourceCache<Key, Payload>, for key: Key) -> Int? { nil }
    #endif
}
