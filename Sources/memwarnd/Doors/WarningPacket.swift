import MemoryPressure
import MemwarnProtocol

/// A warning that is encoded once and sent to many, each with its own part of the bytes wanted.
struct WarningPacket {
    /// The level that it announces.
    let level: PressureLevel
    /// Whether it asks for memory: at the end of the pressure, or of the worst of it, it does not.
    let isDemand: Bool
    private let buffer: UnsafeMutableRawBufferPointer

    /// The frame; valid as long as the call that handed the packet out.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(buffer) }

    /// Asks the next who is sent it for so many bytes.
    func ask(for bytesWanted: UInt64) {
        buffer.storeBytes(of: bytesWanted.littleEndian, toByteOffset: Warning.bytesWantedOffset, as: UInt64.self)
    }

    /// Encodes a warning and hands it to `body`.
    static func with(_ round: Round, _ body: (WarningPacket) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: Frame.maximumSize, alignment: 8) { buffer in
            let count = round.warning.encodeFitting(into: buffer)
            let packet = Self(
                level: round.level,
                isDemand: round.level > .normal && round.options.contains(.answerWanted),
                buffer: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            )
            body(packet)
        }
    }
}
