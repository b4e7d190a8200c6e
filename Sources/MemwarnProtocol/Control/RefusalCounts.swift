/// A number for each kind of refusal.
public struct RefusalCounts: Equatable, Sendable {
    /// The kinds that have a number of their own; all others share one.
    public static let codes: [Refusal.Code] = [
        .malformed, .unsupportedVersion, .unexpectedMessage, .notPermitted, .tooManyPeers, .noSuchHost,
        .tooManyRequests,
    ]

    /// The number of all others, and then one for each of ``codes``.
    private var counts = [UInt64](repeating: 0, count: codes.count + 1)

    /// Zero for each kind.
    public init() {}

    /// The number for a kind; one that is not in ``codes`` has the number that all of these share.
    public subscript(code: Refusal.Code) -> UInt64 {
        get { counts[Self.index(of: code)] }
        set { counts[Self.index(of: code)] = newValue }
    }

    /// The number that all kinds share which are not in ``codes``.
    public var others: UInt64 { counts[0] }

    private static func index(of code: Refusal.Code) -> Int {
        codes.firstIndex(of: code).map { $0 + 1 } ?? 0
    }
}

extension RefusalCounts {
    init(from reader: inout FrameReader) throws(FrameError) {
        for index in counts.indices { counts[index] = try reader.integer("refusals") }
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        for count in counts { try writer.put(count) }
    }
}
