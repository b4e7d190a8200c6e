internal import MemoryPressure
internal import Synchronization

/// Numbers the rises of the process's level: a value that was loaded since the last rise stays while that level lasts.
///
/// The level is the highest of all hosts. Each separate simulation counts as a rise, and leaves the level as it is.
struct Rises {
    /// The number of the process's last rise: a test scope that ends leaves its values to another reclaimer.
    private static let last = Atomic<UInt64>(0)
    private var present: (level: PressureLevel, number: UInt64) = (.normal, 0)
    private var simulated: (level: PressureLevel, number: UInt64) = (.normal, 0)

    /// Returns the number of the rise that a request belongs to, a new one if the level has risen.
    mutating func number(for request: ReclaimRequest) -> UInt64 {
        if request.isSimulated {
            let isSameLevel = request.isRepeat && request.level <= simulated.level
            if !isSameLevel { simulated = (request.level, next()) }
            return simulated.number
        }
        if request.level > present.level { present = (request.level, next()) }
        return present.number
    }

    /// Records that the level has fallen, if it has: the next rise from there is a new one.
    mutating func fall(to level: PressureLevel) {
        present.level = min(present.level, level)
    }

    private func next() -> UInt64 { Self.last.wrappingAdd(1, ordering: .relaxed).newValue }
}
