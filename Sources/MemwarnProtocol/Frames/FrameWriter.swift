/// Writes a frame's fields in order into a buffer that it borrows for one encoding.
struct FrameWriter: FieldVisitor {
    private let buffer: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(_ buffer: UnsafeMutableRawBufferPointer) {
        self.buffer = buffer
    }

    /// Reserves room for `size` more bytes and returns it.
    private mutating func make(_ size: Int) throws(FrameError) -> UnsafeMutableRawBufferPointer {
        guard size <= buffer.count - count else { throw .noRoom(bytes: buffer.count) }
        defer { count += size }
        return UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + size])
    }

    private mutating func put<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) throws(FrameError) {
        try make(MemoryLayout<Value>.size).storeBytes(of: value.littleEndian, as: Value.self)
    }

    mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        _ value: inout Value,
        _ field: String,
        in unit: FieldUnit
    ) throws(FrameError) {
        try put(value)
    }

    /// Writes a string that the peer's reader will accept, or fails.
    mutating func text(_ text: inout String, _ field: String, within limit: ClosedRange<Int>) throws(FrameError) {
        let bytes = text.utf8.count
        guard limit.contains(bytes) else { throw .textLength(field: field, bytes: bytes, limit: limit) }
        try put(UInt16(bytes))
        let room = try make(bytes)
        room.copyBytes(from: text.utf8)
        guard !room.contains(0) else { throw .text(field: field) }
    }

    /// The header that begins a frame, without its length.
    mutating func header(_ type: MessageType, _ sequence: UInt64) throws(FrameError) {
        try put(FrameFormat.version)
        try put(type.rawValue)
        try put(UInt16(0))
        try put(UInt32(0))
        try put(sequence)
    }

    /// A header and all fields of the frame.
    mutating func frame(_ type: MessageType, _ sequence: UInt64, _ body: some FrameBody) throws(FrameError) {
        try header(type, sequence)
        var body = body
        try body.visit(&self)
    }

    /// Stores the number of written bytes as the frame's length in the header.
    ///
    /// Call it only after the header is written: then the four bytes at that offset exist.
    func setLength() {
        buffer.storeBytes(of: UInt32(count).littleEndian, toByteOffset: 4, as: UInt32.self)
    }
}
