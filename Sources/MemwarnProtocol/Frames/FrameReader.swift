/// Reads a frame's fields in order.
///
/// Only ``take(_:_:)`` reads bytes from outside; everything else calls it. The reader borrows the bytes for one
/// decoding and must not outlive it.
struct FrameReader: FieldVisitor {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    /// Returns the next `count` bytes.
    ///
    /// The check compares with the number of remaining bytes and never adds to a number from the peer, so it cannot
    /// overflow.
    private mutating func take(_ count: Int, _ field: String) throws(FrameError) -> UnsafeRawBufferPointer {
        guard count <= bytes.count - offset else { throw .truncated(field: field) }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(_ field: String) throws(FrameError) -> Value {
        Value(littleEndian: try take(MemoryLayout<Value>.size, field).loadUnaligned(as: Value.self))
    }

    mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        _ value: inout Value,
        _ field: String,
        in unit: FieldUnit
    ) throws(FrameError) {
        value = try integer(field)
    }

    /// A string, copied out of the frame.
    mutating func text(_ text: inout String, _ field: String, within limit: ClosedRange<Int>) throws(FrameError) {
        let count: UInt16 = try integer(field)
        guard limit.contains(Int(count)) else {
            throw .textLength(field: field, bytes: Int(count), limit: limit)
        }
        let units = try take(Int(count), field).assumingMemoryBound(to: UInt8.self)
        guard !units.contains(0), let valid = String(validating: units, as: UTF8.self) else {
            throw .text(field: field)
        }
        text = valid
    }

    /// All fields of a frame.
    mutating func body<Body: FrameBody>() throws(FrameError) -> Body {
        var body = Body()
        try body.visit(&self)
        return body
    }
}
