/// How short of memory a scope is, defined by what a process in it should do.
///
/// The order is the order of urgency, so levels can be compared and the worse of two is their `max`.
public enum PressureLevel: UInt8, Comparable, CaseIterable, Sendable {
    /// Nothing needs to be done; caches may grow again.
    case normal = 0
    /// Give back memory that is cheap to rebuild.
    case warning = 1
    /// Give back everything that can be rebuilt: the next step is that a process is killed.
    case critical = 2

    /// Whether `left` is less urgent than `right`.
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension PressureLevel: CustomStringConvertible, LosslessStringConvertible {
    /// `normal`, `warning` or `critical`.
    public var description: String {
        switch self {
        case .normal: "normal"
        case .warning: "warning"
        case .critical: "critical"
        }
    }

    /// Reads what ``description`` writes; anything else is `nil`.
    public init?(_ description: String) {
        guard let level = Self.allCases.first(where: { $0.description == description }) else { return nil }
        self = level
    }
}
