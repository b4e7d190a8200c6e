/// A host's answer to a warning: the memory that it gave back, and the effect.
package struct Acknowledgement: FrameBody, Equatable, Sendable {
    /// The bytes that the host released by its own count.
    package var released: UInt64 = 0
    /// The process's resident memory before it released anything, in bytes.
    package var residentBefore: UInt64 = 0
    /// The process's resident memory when it was done, in bytes.
    package var residentAfter: UInt64 = 0
    /// How long the host took from receipt to this answer, in microseconds.
    package var duration: UInt64 = 0
    /// The bytes that the host could still release; 0 if nothing or unknown.
    package var releasable: UInt64 = 0

    /// Creates an answer to a warning.
    package init(
        released: UInt64,
        residentBefore: UInt64,
        residentAfter: UInt64,
        duration: UInt64,
        releasable: UInt64
    ) {
        self.released = released
        self.residentBefore = residentBefore
        self.residentAfter = residentAfter
        self.duration = duration
        self.releasable = releasable
    }

    package init() {}

    package mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError) {
        try fields.integer(&released, "released", in: .bytes)
        try fields.integer(&residentBefore, "residentBefore", in: .bytes)
        try fields.integer(&residentAfter, "residentAfter", in: .bytes)
        try fields.integer(&duration, "duration", in: .microseconds)
        try fields.integer(&releasable, "releasable", in: .bytes)
    }
}
