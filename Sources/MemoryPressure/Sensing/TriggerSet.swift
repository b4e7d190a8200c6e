/// A set of triggers of a scope.
package struct TriggerSet: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    package static let some = Self(rawValue: 1 << 0)
    package static let full = Self(rawValue: 1 << 1)
    package static let limits = Self(rawValue: 1 << 2)

    /// Creates a set of one trigger.
    package init(_ trigger: PressureSensor.Trigger) {
        switch trigger {
        case .stalls(.some): self = .some
        case .stalls(.full): self = .full
        case .limits: self = .limits
        }
    }

    package func contains(_ trigger: PressureSensor.Trigger) -> Bool { contains(Self(trigger)) }

    /// All triggers.
    package static let all: Self = [.some, .full, .limits]
}
