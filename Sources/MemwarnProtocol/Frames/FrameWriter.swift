internal import MemoryPressure

/// Writes a frame's fields one after the other into a buffer that it borrows for the time of one encoding.
struct FrameWriter {
    private let buffer: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(_ buffer: UnsafeMutableRawBufferPointer) {
        self.buffer = buffer
    }

    /// Makes sure of room for `size` more bytes, and returns where they go.
    private mutating func make(_ size: Int) throws(FrameError) -> UnsafeMutableRawBufferPointer {
        guard size <= buffer.count - count else { throw .noRoom(bytes: buffer.count) }
        defer { count += size }
        return UnsafeMutableRawBufferPointer(rebasing: buffer[count..<count + size])
    }

    mutating func put<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) throws(FrameError) {
        try make(MemoryLayout<Value>.size).storeBytes(of: value.littleEndian, as: Value.self)
    }

    mutating func put<Value: RawRepresentable<UInt8>>(_ value: Value) throws(FrameError) {
        try put(value.rawValue)
    }

    /// Writes a string that the peer's reader will accept, or fails.
    mutating func put(_ text: String, _ field: String, within limit: ClosedRange<Int>) throws(FrameError) {
        let bytes = text.utf8.count
        guard limit.contains(bytes) else { throw .textLength(field: field, bytes: bytes, limit: limit) }
        try put(UInt16(bytes))
        let room = try make(bytes)
        room.copyBytes(from: text.utf8)
        guard !room.contains(0) else { throw .text(field: field) }
    }

    mutating func put(_ reason: PressureReason) throws(FrameError) {
        try put(reason.source)
        try put(reason.figure.basisPoints)
        try put(reason.threshold.basisPoints)
    }

    /// Ends a message with a limit, or with none.
    ///
    /// A path that is too long is cut, as it is where scopes have one.
    mutating func put(_ limit: BindingLimit?) throws(FrameError) {
        try put(limit?.kind.rawValue ?? 0)
        try put(limit?.bytes ?? 0)
        try put(limit?.path.prefix(utf8: TextLimit.path.upperBound) ?? "", "limit path", within: TextLimit.path)
    }

    /// Puts what has been written so far into the header as the frame's length.
    ///
    /// Only after the header: that is what makes the four bytes at its offset exist.
    func setLength() {
        buffer.storeBytes(of: UInt32(count).littleEndian, toByteOffset: 4, as: UInt32.self)
    }
}
