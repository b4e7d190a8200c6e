/// The end of an answer to a query, or of the reply to a subscription.
package struct End: FrameBody, Equatable, Sendable {
    /// The value of ``Query/after`` for the next request; 0 if there is nothing more.
    package var next: UInt64 = 0

    /// The end of an answer to a query, or of the reply to a subscription.
    package init(next: UInt64) {
        self.next = next
    }

    package init() {}

    package mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError) {
        try fields.integer(&next, "next")
    }
}
