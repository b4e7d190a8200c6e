/// A host's answer to a warning: what it gave back and what that did.
public struct Acknowledgement: Equatable, Sendable {
    /// What the host released by its own count, in bytes.
    public var released: UInt64
    /// The process's resident memory before it released anything, in bytes.
    public var residentBefore: UInt64
    /// The process's resident memory when it was done, in bytes.
    public var residentAfter: UInt64
    /// How long the host took from receipt to this answer, in microseconds.
    public var duration: UInt64
    /// What the host could still release, in bytes; 0 if nothing, or if it does not know.
    public var releasable: UInt64

    /// An answer to a warning.
    public init(
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
}

extension Acknowledgement {
    init(from reader: inout FrameReader) throws(FrameError) {
        released = try reader.integer("released")
        residentBefore = try reader.integer("residentBefore")
        residentAfter = try reader.integer("residentAfter")
        duration = try reader.integer("duration")
        releasable = try reader.integer("releasable")
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        try writer.put(released)
        try writer.put(residentBefore)
        try writer.put(residentAfter)
        try writer.put(duration)
        try writer.put(releasable)
    }
}
