/// The result of one check of `doctor`.
struct Finding: Encodable, Equatable {
    /// The quality of the result.
    enum State: String, Encodable, Comparable, CaseIterable {
        /// It cannot be improved.
        case good
        /// It works, but could work better.
        case degraded
        /// It does not work.
        case bad

        static func < (left: Self, right: Self) -> Bool {
            // Declared from the best to the worst.
            (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
        }
    }

    /// The name of the check, the same in every version.
    let check: String
    let state: State
    /// The observation, in one sentence without a full stop.
    let seen: String
    /// The advice for an improvement; `nil` if there is none.
    let advice: String?

    private init(_ check: String, _ state: State, _ seen: String, _ advice: String?) {
        self.check = check
        self.state = state
        self.seen = seen
        self.advice = advice
    }

    static func good(_ check: String, _ seen: String) -> Self { Self(check, .good, seen, nil) }
    static func degraded(_ check: String, _ seen: String, _ advice: String) -> Self {
        Self(check, .degraded, seen, advice)
    }
    static func bad(_ check: String, _ seen: String, _ advice: String) -> Self { Self(check, .bad, seen, advice) }
}
