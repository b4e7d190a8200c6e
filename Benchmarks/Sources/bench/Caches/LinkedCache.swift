internal import Foundation

/// A cache in the style of the public packages for Swift: a dictionary of list nodes under an `NSLock`, with the least
/// recently used node last.
// All accesses to the list and the dictionary hold the lock.
final class LinkedCache<Key: Hashable & Sendable>: Contender, @unchecked Sendable {
    private final class Node {
        let key: Key
        var value: Payload
        var newer: Node?
        // Nodes have strong references in one direction only.
        unowned(unsafe) var older: Node?

        init(_ key: Key, _ value: Payload) {
            self.key = key
            self.value = value
        }
    }

    private let lock = NSLock()
    private let limit: Int
    private var nodes: [Key: Node] = [:]
    private var newest: Node?
    private var oldest: Node?

    init(limit: Int) {
        self.limit = limit
    }

    deinit {
        removeAll()
    }

    func value(for key: Key) -> Payload? {
        lock.withLock {
            guard let node = nodes[key] else { return nil }
            use(node)
            return node.value
        }
    }

    func insert(_ value: Payload, for key: Key) {
        lock.withLock {
            if let node = nodes[key] {
                node.value = value
                return use(node)
            }
            let node = Node(key, value)
            nodes[key] = node
            link(node)
            guard nodes.count > limit, let victim = oldest else { return }
            unlink(victim)
            nodes[victim.key] = nil
        }
    }

    func removeAll() {
        lock.withLock {
            // Unlinks the nodes one by one, since a long chain that is released at once is released by recursion.
            while let node = oldest { unlink(node) }
            nodes = [:]
        }
    }

    private func use(_ node: Node) {
        guard node !== newest else { return }
        unlink(node)
        link(node)
    }

    private func link(_ node: Node) {
        node.older = newest
        newest?.newer = node
        newest = node
        if oldest == nil { oldest = node }
    }

    private func unlink(_ node: Node) {
        if let newer = node.newer { newer.older = node.older } else { newest = node.older }
        if let older = node.older { older.newer = node.newer } else { oldest = node.newer }
        node.newer = nil
        node.older = nil
    }
}
