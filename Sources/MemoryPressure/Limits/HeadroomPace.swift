/// How fast headroom shrinks, or shrank not long ago.
///
/// Memory that was allocated once is soon allocated again: a service that gave back its caches and receives `normal`
/// reloads them as fast as before, from a standstill. So the fastest pace is remembered, and decays by halves: it says
/// when to read. The mean pace says how much will be taken next.
struct HeadroomPace {
    /// In hundredths of a percent of the limit, a second; 0 if nothing shrinks.
    private(set) var perSecond = 0.0
    /// The mean of about the last second, in the same unit; negative if headroom grows.
    private(set) var mean = 0.0

    /// The remembered pace halves in this time, in seconds: the dwell of two levels, and a moment for hosts to reload.
    private static let halfLife = 30.0
    /// The shortest interval that is evaluated: one allocation a millisecond before the reading is not a pace.
    private static let shortest = Duration.milliseconds(100)

    private var last: (headroom: Headroom, at: MonotonicInstant)?

    /// Updates the pace with another reading.
    mutating func note(_ headroom: Headroom, at now: MonotonicInstant) {
        // A change of the limit, or of the binding limit, is no evidence of allocations.
        guard let last, last.headroom.limit == headroom.limit else {
            last = (headroom, now)
            // It is a share of the former limit.
            mean = 0
            return
        }
        let elapsed = last.at.duration(to: now)
        guard elapsed >= Self.shortest else { return }
        let shrunk = Int(last.headroom.share.basisPoints) - Int(headroom.share.basisPoints)
        let seconds = Double(elapsed.nanoseconds) / 1e9
        let remembered = Self.halve(perSecond, times: seconds / Self.halfLife)
        mean += (Double(shrunk) / seconds - mean) * min(1, seconds)
        perSecond = max(Double(shrunk) / seconds, remembered < 1 ? 0 : remembered)
        self.last = (headroom, now)
    }

    /// Halves a number `times` times, which may be a fraction.
    ///
    /// exp2(3) is not used, since the daemon would load a library of 0.2 MB for it.
    private static func halve(_ number: Double, times: Double) -> Double {
        var (result, left) = (number, times)
        while left >= 1, result >= 1 { (result, left) = (result / 2, left - 1) }
        guard result >= 1 else { return 0 }
        // The series of exp(-left · ln 2), whose next term is below a billionth.
        var term = result
        for number in 1...10 {
            term *= -left * 0.693_147_180_559_945_3 / Double(number)
            result += term
        }
        return result
    }
}
