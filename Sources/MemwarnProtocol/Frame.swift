/// One message between a host or a client and the daemon, which is sent in one packet.
///
/// A frame is the whole payload of one `SOCK_SEQPACKET` packet: a header of ``headerSize`` bytes and the message's
/// fields, little-endian and packed, at most ``maximumSize`` bytes. `docs/PROTOCOL.md` specifies the bytes. A frame is
/// a value; any task or thread may encode and decode.
package struct Frame: Equatable, Sendable {
    /// The request or the round that the frame belongs to.
    ///
    /// A reply repeats the sequence of its request, a warning has the number of its round, and an acknowledgement
    /// repeats the sequence of its warning.
    package var sequence: UInt64
    /// The message.
    package var message: Message

    /// Creates a frame with `message`.
    package init(sequence: UInt64, message: Message) {
        self.sequence = sequence
        self.message = message
    }

    /// The maximum size of a frame in bytes; a receive buffer of this size holds any frame.
    package static let maximumSize = FrameFormat.maximumSize
    /// The bytes before a message's own fields.
    package static let headerSize = FrameFormat.headerSize
}

extension Frame {
    /// Writes the frame to the start of `buffer` and returns how many bytes it has.
    ///
    /// Allocates nothing. With a buffer of ``maximumSize`` bytes it fails only for a string outside its ``TextLimit``
    /// or with a NUL in it: `textLength` or `text`. A smaller buffer can also cause `noRoom`. After an error the
    /// buffer's contents are undefined.
    package func encode(into buffer: UnsafeMutableRawBufferPointer) throws(FrameError) -> Int {
        var writer = FrameWriter(buffer)
        try message.write(to: &writer, sequence: sequence)
        writer.setLength()
        return writer.count
    }

    /// Returns the frame's bytes in an array.
    ///
    /// Use it where a copy does no harm; ``encode(into:)`` throws the same errors and allocates nothing.
    package func encoded() throws(FrameError) -> [UInt8] {
        try withUnsafeTemporaryAllocation(byteCount: Self.maximumSize, alignment: 8) { buffer throws(FrameError) in
            let count = try encode(into: buffer)
            return [UInt8](buffer[..<count])
        }
    }

    /// Reads one packet.
    ///
    /// Every sequence of bytes is either a frame or a ``FrameError``; nothing traps. Bytes between a message's last
    /// known field and the end of the packet are ignored: a newer peer of the same version may have put fields there.
    /// `bytes` is not kept; the only allocations are for strings of more than 15 bytes.
    package init(decoding bytes: UnsafeRawBufferPointer) throws(FrameError) {
        guard bytes.count >= Self.headerSize else { throw .shortHeader(bytes.count) }
        var reader = FrameReader(bytes)
        let version: UInt8 = try reader.integer("version")
        // This check comes first: the rest of another version's header may have another meaning.
        guard version == FrameFormat.version else { throw .version(version) }
        let number: UInt8 = try reader.integer("type")
        let reserved: UInt16 = try reader.integer("reserved")
        let length: UInt32 = try reader.integer("length")
        guard bytes.count <= Self.maximumSize else { throw .tooLong(bytes.count) }
        guard reserved == 0 else { throw .reserved(reserved) }
        guard length == bytes.count else { throw .length(stated: length, actual: bytes.count) }
        guard let type = MessageType(rawValue: number) else { throw .type(number) }
        sequence = try reader.integer("sequence")
        message = try Message(type, from: &reader)
    }
}
