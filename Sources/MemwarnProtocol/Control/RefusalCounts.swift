/// A number for each kind of refusal.
package struct RefusalCounts: Equatable, Sendable {
    /// The kinds that have a number of their own; all others share one.
    package static let codes: [Refusal.Code] = [
        .malformed, .unsupportedVersion, .unexpectedMessage, .notPermitted, .tooManyPeers, .noSuchHost,
        .tooManyRequests,
    ]

    /// The number of all others, and then one for each of ``codes``.
    private var counts = [UInt64](repeating: 0, count: codes.count + 1)

    /// Zero for each kind.
    package init() {}

    /// The number for a kind; kinds that are not in ``codes`` share one number.
    package subscript(code: Refusal.Code) -> UInt64 {
        get { counts[Self.index(of: code)] }
        set { counts[Self.index(of: code)] = newValue }
    }

    /// The number that the kinds not in ``codes`` share.
    package var others: UInt64 { counts[0] }

    private static func index(of code: Refusal.Code) -> Int {
        codes.firstIndex(of: code).map { $0 + 1 } ?? 0
    }
}

extension RefusalCounts {
    mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError) {
        try fields.integers(&counts, "refusals")
    }
}
