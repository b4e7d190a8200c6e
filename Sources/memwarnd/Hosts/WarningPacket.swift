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

    /// Sets the bytes wanted of the next host.
    func ask(for bytesWanted: UInt64) {
        buffer.storeBytes(of: bytesWanted.littleEndian, toByteOffset: Warning.bytesWantedOffset, as: UInt64.self)
    }

    /// Encodes a warning and hands it to `body`.
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
