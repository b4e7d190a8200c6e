/// What a subscriber did not get because its socket was full.
///
/// The state can be had again with a ``Query``.
public struct Missed: Equatable, Sendable {
    /// How many records were dropped.
    public var count: UInt64

    /// So many dropped records.
    public init(count: UInt64) {
        self.count = count
    }
}

extension Missed {
    init(from reader: inout FrameReader) throws(FrameError) {
        count = try reader.integer("count")
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        try writer.put(count)
    }
}
