/// Records that a subscriber did not get because its socket was full.
///
/// A ``Query`` returns the state again.
package struct Missed: FrameBody, Equatable, Sendable {
    /// How many records were dropped.
    package var count: UInt64 = 0

    /// Creates the message for `count` dropped records.
    package init(count: UInt64) {
        self.count = count
    }

    package init() {}

    package mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError) {
        try fields.integer(&count, "count")
    }
}
