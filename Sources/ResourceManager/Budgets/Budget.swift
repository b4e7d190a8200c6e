/// What a part of a service may use: memory, places, threads.
///
/// A budget is to a view here what a frame is to one on a screen: it is handed down the tree, each view dividing what it
/// got among its subviews, and handed down anew whenever the total changes.
public struct Budget: Sendable, Hashable {
    /// Memory, in bytes.
    public var bytes: Int
    /// Places for whatever is counted: connections, requests under way, entries of a queue.
    public var slots: Int
    /// Threads, or processors to keep busy.
    public var threads: Int

    /// One of the things that a budget counts.
    public enum Resource: Sendable, Hashable, CaseIterable {
        /// ``Budget/bytes``.
        case bytes
        /// ``Budget/slots``.
        case slots
        /// ``Budget/threads``.
        case threads
    }

    /// A budget; what is not given is 0.
    public init(bytes: Int = 0, slots: Int = 0, threads: Int = 0) {
        self.bytes = bytes
        self.slots = slots
        self.threads = threads
    }

    /// Nothing.
    public static let zero = Budget()

    /// The amount of one resource.
    public subscript(resource: Resource) -> Int {
        get {
            switch resource {
            case .bytes: bytes
            case .slots: slots
            case .threads: threads
            }
        }
        set {
            switch resource {
            case .bytes: bytes = newValue
            case .slots: slots = newValue
            case .threads: threads = newValue
            }
        }
    }

    /// What is left when `other` is taken away; never less than nothing.
    public func reduced(by other: Budget) -> Budget {
        var rest = self
        for resource in Resource.allCases { rest[resource] = max(0, self[resource] - max(0, other[resource])) }
        return rest
    }
}
