import MemoryPressure
import MemwarnProtocol

/// A warning that is encoded once and sent to many hosts, each with its own share of the bytes wanted.
struct WarningPacket {
    /// The level that it announces.
    let level: PressureLevel
    /// Whether it asks for memory; a fall of the level does not.
    let isDemand: Bool
    private let buffer: UnsafeMutableRawBufferPointer

    /// The frame; valid during the call that provides the packet.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(buffer) }

    /// Sets the bytes wanted for the next host.
    func ask(for bytesWanted: UInt64) {
        buffer.storeBytes(of: bytesWanted.littleEndian, toByteOffset: Warning.bytesWantedOffset, as: UInt64.self)
    }

    /// Encodes a warning and calls `body` with it.
    static func with(_ warning: Warning, _ round: UInt64, _ body: (WarningPacket) -> Void) {
        withUnsafeTemporaryAllocation(byteCount: Frame.maximumSize, alignment: 8) { buffer in
            let count = Frame(sequence: round, message: .warning(warning)).encodeFitting(into: buffer)
            let packet = Self(
                level: warning.level,
                isDemand: warning.level > .normal && warning.options.contains(.answerWanted),
                buffer: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            )
            body(packet)
        }
    }
}
