/// A quantity that changes linearly: its value at an instant, and its change per second.
struct Line {
    var value: Double
    var rate: Double

    static let zero = Self(value: 0, rate: 0)

    init(value: Double, rate: Double = 0) {
        self.value = value
        self.rate = rate
    }

    static func + (left: Self, right: Self) -> Self {
        Self(value: left.value + right.value, rate: left.rate + right.rate)
    }
    static func - (left: Self, right: Self) -> Self {
        Self(value: left.value - right.value, rate: left.rate - right.rate)
    }
    static func += (left: inout Self, right: Self) { left = left + right }

    /// A page: a value closer to zero than this counts as zero, and its rate decides its sign.
    private static let page = 4096.0

    /// Whether it is below zero, or about to be.
    var isBelowZero: Bool { value < -Self.page || (value < Self.page && rate < 0) }

    /// The time in seconds until it passes zero; `nil` if it does not, or does so now.
    var secondsToZero: Double? {
        guard abs(value) >= Self.page, rate != 0, (value < 0) != (rate < 0) else { return nil }
        return -value / rate
    }
}

/// A quantity that moves towards a target.
struct Ramp {
    private(set) var value: Double
    private(set) var target: Double
    /// The change per second, without its sign.
    private(set) var pace: Double

    /// Creates a constant quantity.
    init(_ value: Double) {
        self.value = value
        target = value
        pace = 0
    }

    var isMoving: Bool { value != target }
    var isGrowing: Bool { value < target }

    /// The change per second while growth is slowed by a factor.
    func rate(slowed: Double) -> Double { value < target ? pace * slowed : value > target ? -pace : 0 }

    /// The time in seconds until it arrives.
    func secondsLeft(slowed: Double) -> Double? { isMoving ? (target - value) / rate(slowed: slowed) : nil }

    /// Moves to another target, at a pace in bytes per second.
    mutating func go(to target: Double, pace: Double) {
        self.target = max(0, target)
        self.pace = max(1, pace)
    }

    /// Changes to another amount at once, and stays at it.
    mutating func jump(to value: Double) { self = Ramp(max(0, value)) }

    /// Loses an amount at once, and stops.
    mutating func drop(_ amount: Double) { jump(to: value - amount) }

    mutating func advance(_ seconds: Double, slowed: Double) {
        guard isMoving else { return }
        let moved = value + rate(slowed: slowed) * seconds
        // Within a byte of the target it counts as arrived, because instants are whole nanoseconds.
        let hasArrived = isGrowing ? moved >= target - pace * 1e-8 - 1 : moved <= target + pace * 1e-8 + 1
        value = hasArrived ? target : moved
    }
}
