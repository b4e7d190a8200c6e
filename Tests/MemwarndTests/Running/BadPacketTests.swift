import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

struct BadPacketTests {
    /// A packet that is not a valid frame, and the expected answer.
    struct BadPacket: CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let code: Refusal.Code
        let sequence: UInt64

        var testDescription: String { name }
    }

    /// A header with sequence number 77.
    static func header(version: UInt8 = 1, type: UInt8 = 1, reserved: UInt8 = 0, length: UInt16) -> [UInt8] {
        [version, type, reserved, 0, UInt8(length & 0xff), UInt8(length >> 8), 0, 0, 77, 0, 0, 0, 0, 0, 0, 0]
    }

    static let packets = [
        BadPacket(name: "one byte", bytes: [1], code: .malformed, sequence: 0),
        BadPacket(name: "a cut header", bytes: Array(header(length: 16).dropLast()), code: .malformed, sequence: 0),
        BadPacket(name: "a cut hello", bytes: header(length: 16), code: .malformed, sequence: 77),
        BadPacket(name: "a wrong length", bytes: header(type: 18, length: 17), code: .malformed, sequence: 77),
        BadPacket(
            name: "reserved bits",
            bytes: header(type: 18, reserved: 1, length: 16),
            code: .malformed,
            sequence: 77
        ),
        BadPacket(
            name: "another version",
            bytes: header(version: 2, length: 16),
            code: .unsupportedVersion,
            sequence: 77
        ),
        BadPacket(name: "an unknown type", bytes: header(type: 99, length: 16), code: .unexpectedMessage, sequence: 77),
        BadPacket(
            name: "a name of no characters",
            bytes: header(length: 27) + [128] + [UInt8](repeating: 0, count: 10),
            code: .malformed,
            sequence: 77
        ),
        BadPacket(
            name: "more than fits a frame",
            bytes: header(type: 18, length: 4_097) + [UInt8](repeating: 0, count: 4_081),
            code: .malformed,
            sequence: 77
        ),
        BadPacket(
            name: "much more than fits a frame",
            bytes: header(type: 18, length: 65_535) + [UInt8](repeating: 0xff, count: 100_000),
            code: .malformed,
            sequence: 77
        ),
        BadPacket(
            name: "noise",
            bytes: [UInt8](repeating: 0xff, count: 300),
            code: .unsupportedVersion,
            sequence: .max
        ),
    ]

    @Test("the answer to a bad packet has its sequence and the reason; the sender is disconnected", arguments: packets)
    func refused(packet: BadPacket) throws {
        let daemon = try DaemonProcess()
        let witness = try RawPeer(daemon, host: "witness")
        // One peer that has not registered, and one host.
        for peer in [try RawPeer(daemon), try RawPeer(daemon, host: "guest")] {
            #expect(peer.send(packet.bytes) == .sent)
            // Later packets that are already in the queue do not hide the reason.
            peer.send([1, 2, 3])
            let (sequence, refusal) = try peer.refusal()
            #expect(refusal.code == packet.code, "\(refusal.message)")
            #expect(sequence == packet.sequence)
            #expect(!refusal.message.isEmpty)
            #expect(try peer.receive() == nil)
        }
        try Self.stillServes(daemon, witness)
    }

    @Test("an empty packet ends the connection")
    func emptyPacket() throws {
        let daemon = try DaemonProcess()
        let witness = try RawPeer(daemon, host: "witness")
        let peer = try RawPeer(daemon, host: "guest")
        #expect(peer.send([]) == .sent)
        #expect(try peer.receive() == nil)
        try Self.stillServes(daemon, witness)
    }

    @Test("the log names refused peers, but only some of many")
    func complaints() throws {
        let daemon = try DaemonProcess()
        for _ in 0..<40 {
            let peer = try RawPeer(daemon)
            peer.send([1])
            _ = try peer.refusal()
        }
        daemon.process.send(SIGTERM)
        let lines = daemon.process.end().output.split(separator: "\n").filter { $0.contains("refused") }
        #expect((10...12).contains(lines.count))
        let expected = "memwarnd: refused pid \(getpid()) of uid \(geteuid()): "
        #expect(lines.allSatisfy { $0.contains(expected) }, "\(lines.first ?? "")")
    }

    /// The other host is the only one left; it is warned and answers.
    static func stillServes(_ daemon: DaemonProcess, _ witness: RawPeer) throws {
        let control = try RawPeer(daemon)
        try control.waitForHosts(1)
        #expect(try control.simulate(.patient(.warning)).hosts == 1)
        try witness.acknowledge(try witness.warning().round)
        #expect(try control.round().answered == 1)
    }
}
