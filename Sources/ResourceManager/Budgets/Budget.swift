/// The amounts that a part of a service may use: memory, slots, threads.
///
/// A view has a budget where a view on a screen has a frame: each view divides its own budget among its subviews, and the
/// division is repeated whenever the total changes.
public struct Budget: Sendable, Hashable {
    /// Memory, in bytes.
    public var bytes: Int
    /// Slots for anything countable: connections, requests under way, entries of a queue.
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

    /// A budget; amounts that are not given are 0.
    public init(bytes: Int = 0, slots: Int = 0, threads: Int = 0) {
        self.bytes = bytes
        self.slots = slots
        self.threads = threads
    }

    /// No resources at all.
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

    /// The remainder after `other` is subtracted; never below 0.
    public func reduced(by other: Budget) -> Budget {
        var rest = self
        for resource in Resource.allCases { rest[resource] = max(0, max(0, self[resource]) - max(0, other[resource])) }
        return rest
    }
}
