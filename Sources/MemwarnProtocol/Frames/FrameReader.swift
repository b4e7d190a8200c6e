internal import MemoryPressure

/// Reads a frame's fields one after the other.
///
/// The one place where bytes from outside are looked at: everything else goes through ``take(_:_:)``. It borrows the
/// bytes for the time of one decoding and must not outlive it.
struct FrameReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// The next `count` bytes.
    ///
    /// The check is a comparison with what is left, never a sum with what the peer said, so it cannot overflow.
    private mutating func take(_ count: Int, _ field: String) throws(FrameError) -> UnsafeRawBufferPointer {
        guard count <= bytes.count - offset else { throw .truncated(field: field) }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    /// Whether the frame ends here, before fields that were added later.
    var isAtEnd: Bool { offset == bytes.count }

    mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        _ field: String
    ) throws(FrameError) -> Value {
        Value(littleEndian: try take(MemoryLayout<Value>.size, field).loadUnaligned(as: Value.self))
    }

    /// One byte that stands for one of a closed set.
    mutating func choice<Value: RawRepresentable<UInt8>>(_ field: String) throws(FrameError) -> Value {
        let byte: UInt8 = try integer(field)
        guard let value = Value(rawValue: byte) else { throw .value(field: field, byte) }
        return value
    }

    /// A string, copied out of the frame.
    mutating func text(_ field: String, within limit: ClosedRange<Int>) throws(FrameError) -> String {
        let count: UInt16 = try integer(field)
        guard limit.contains(Int(count)) else {
            throw .textLength(field: field, bytes: Int(count), limit: limit)
        }
        let units = try take(Int(count), field).assumingMemoryBound(to: UInt8.self)
        guard !units.contains(0), let text = String(validating: units, as: UTF8.self) else {
            throw .text(field: field)
        }
        return text
    }

    /// A reason; a source that is not known yet is read as `.unknown`, so that sources can be added.
    mutating func reason() throws(FrameError) -> PressureReason {
        let source: UInt8 = try integer("reason source")
        return PressureReason(
            PressureReason.Source(rawValue: source) ?? .unknown,
            figure: Share(basisPoints: try integer("reason figure")),
            threshold: Share(basisPoints: try integer("reason threshold"))
        )
    }

    /// The limit of a reason, which ends a message; `nil` if there is none, or a kind that is not known yet.
    mutating func limit() throws(FrameError) -> BindingLimit? {
        // Peers that were there before the field do not send it.
        guard !isAtEnd else { return nil }
        let kind: UInt8 = try integer("limit kind")
        let bytes: UInt64 = try integer("limit bytes")
        let path = try text("limit path", within: TextLimit.path)
        return BindingLimit.Kind(rawValue: kind).map { BindingLimit($0, bytes: bytes, path: path) }
    }

    /// A host's allocator, which ends a message; one that is not known yet is read as `.unstated`.
    mutating func allocator() throws(FrameError) -> HostAllocator {
        // Peers that were there before the field do not send it.
        isAtEnd ? .unstated : HostAllocator(rawValue: try integer("allocator")) ?? .unstated
    }

    /// A warning's flags; those that are not known are dropped.
    mutating func options() throws(FrameError) -> WarningOptions {
        WarningOptions(rawValue: try integer("flags")).intersection(.known)
    }
}
