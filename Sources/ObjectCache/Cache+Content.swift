internal import ResourceCaches
public import Synchronization

// Discardable content. Whether an object has some is a search in the runtime's tables, so the last class that has none is
// remembered, and reads do not ask before the first object that has some.
extension Cache {
    /// Notes whether there is discardable content from now on.
    @inlinable @inline(__always)
    func noteContent(of object: Object) {
        if plainClass.load(ordering: .relaxed) != Self.number(of: object) { search(object) }
    }

    @inlinable @inline(__always)
    static func number(of object: Object) -> UInt { UInt(bitPattern: ObjectIdentifier(type(of: object as AnyObject))) }

    @usableFromInline
    func search(_ object: Object) {
        guard object is any DiscardableContent else {
            return plainClass.store(Self.number(of: object), ordering: .relaxed)
        }
        guard !mayHoldContent.load(ordering: .relaxed) else { return }
        // First, so that the content goes when the object leaves.
        base.hearsOfRemovals = true
        mayHoldContent.store(true, ordering: .relaxed)
    }

    /// An object's content, if it is discardable.
    func content(of object: Object) -> (any DiscardableContent)? {
        plainClass.load(ordering: .relaxed) == Self.number(of: object) ? nil : object as? any DiscardableContent
    }

    /// The object that a read has found, unless its content is discarded: then it is evicted.
    @usableFromInline
    func readable(_ object: Object, forKey key: Key) -> Object? {
        guard let content = content(of: object), evictsObjectsWithDiscardedContent, content.isContentDiscarded else {
            return object
        }
        base.remove(object, for: key)
        return nil
    }
}
