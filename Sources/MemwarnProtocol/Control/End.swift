/// The end of an answer to a query, or of the reply to a subscription.
public struct End: Equatable, Sendable {
    /// What to ask for next, as ``Query/after``; 0 if there is nothing more.
    public var next: UInt64

    /// The end of an answer.
    public init(next: UInt64 = 0) {
        self.next = next
    }
}

extension End {
    init(from reader: inout FrameReader) throws(FrameError) {
        next = try reader.integer("next")
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        try writer.put(next)
    }
}
