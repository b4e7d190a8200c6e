internal import ResourceCaches
public import Synchronization

// Discardable content. The conformance check searches the runtime's tables, so the cache remembers the last class
// without discardable content, and reads skip the check until the first object with discardable content is stored.
extension Cache {
    /// Records whether an object that is about to be stored has discardable content.
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
        // This comes first, so that the content is discarded when the object leaves.
        base.notifiesRemovals = true
        mayHoldContent.store(true, ordering: .relaxed)
    }

    /// The discardable content of an object, or `nil`.
    func content(of object: Object) -> (any DiscardableContent)? {
        plainClass.load(ordering: .relaxed) == Self.number(of: object) ? nil : object as? any DiscardableContent
    }

    /// Returns the object that a read has found, unless its content is discarded: then the object is evicted.
    @usableFromInline
    func readable(_ object: Object, forKey key: Key) -> Object? {
        guard let content = content(of: object), evictsObjectsWithDiscardedContent, content.isContentDiscarded else {
            return object
        }
        base.remove(object, for: key)
        return nil
    }
}
