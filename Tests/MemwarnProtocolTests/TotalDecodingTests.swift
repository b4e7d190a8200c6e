import MemwarnProtocol
import TestSupport
import Testing

/// Every byte string is either a frame or causes a `FrameError`, and a frame can be written and read again without change.
struct TotalDecodingTests {
    @Test("100 000 strings of random bytes decode or fail, and decoded frames are stable")
    func random() throws {
        var generator = SplitMix(state: 0x6D65_6D77_6172_6E64)
        var decoded: Set<UInt8> = []
        for _ in 0..<100_000 {
            let bytes = Self.bytes(using: &generator)
            if try Self.isStableFrame(bytes) { decoded.insert(bytes[1]) }
        }
        // Otherwise the bytes were too random to reach the fields at all.
        #expect(decoded == Set(Sample.all.map { $0.bytes[1] }))
    }

    @Test("the fuzzer's earlier findings decode or fail, and decoded frames are stable")
    func corpus() throws {
        let folder = "Tests/Fuzz/frame/corpus"
        let names = try Repository.names(in: folder)
        for name in names { _ = try Self.isStableFrame(Repository.read("\(folder)/\(name)")) }
        #expect(names.count >= Sample.all.count)
    }

    /// Whether the bytes are a frame; records an issue if the frame does not survive being written and read again.
    static func isStableFrame(_ bytes: [UInt8]) throws -> Bool {
        let frame: Frame
        do {
            frame = try Frame(bytes: bytes)
        } catch is FrameError {
            return false
        }
        // Not `#expect` for each: it would take most of the time even if nothing is wrong.
        if try Frame(bytes: frame.encoded()) != frame { Issue.record("\(bytes) is not stable: \(frame)") }
        return true
    }

    /// Bytes that reach deeper into the decoder with each case: pure noise, noise after a valid header, and a valid frame with a
    /// few changed bytes.
    private static func bytes(using generator: inout SplitMix) -> [UInt8] {
        var bytes: [UInt8]
        switch Int.random(in: 0..<3, using: &generator) {
        case 0:
            return noise(Int.random(in: 0...80, using: &generator), using: &generator)
        case 1:
            bytes = noise(Int.random(in: Frame.headerSize...120, using: &generator), using: &generator)
            bytes.replaceSubrange(0..<4, with: [1, UInt8.random(in: 0...40, using: &generator), 0, 0])
            bytes.replaceSubrange(4..<8, with: [UInt8(bytes.count), 0, 0, 0])
        default:
            bytes = Sample.all[Int.random(in: 0..<Sample.all.count, using: &generator)].bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: Frame.headerSize - 8..<bytes.count, using: &generator)] = .random(
                    in: 0...255,
                    using: &generator
                )
            }
        }
        return bytes
    }

    private static func noise(_ count: Int, using generator: inout SplitMix) -> [UInt8] {
        (0..<count).map { _ in .random(in: 0...255, using: &generator) }
    }
}
