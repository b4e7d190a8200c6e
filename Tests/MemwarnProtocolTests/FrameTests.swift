import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

struct FrameTests {
    @Test("on the wire every message has the form that the tables specify", arguments: Sample.all)
    func golden(_ sample: Sample) throws {
        #expect(try sample.frame.encoded() == sample.bytes)
    }

    @Test("every stored frame belongs to a known message")
    func kept() throws {
        let names = try Repository.names(in: Sample.folder).map { $0.prefix { $0 != "." } }
        #expect(Set(names) == Set(Sample.all.map { $0.testDescription[...] }))
    }

    @Test("the bytes wanted of each host are written at their place in an encoded warning")
    func bytesWanted() throws {
        var warning = Warning()
        warning.bytesWanted = 7
        var bytes = try Frame(sequence: 1, message: .warning(warning)).encoded()
        bytes[Warning.bytesWantedOffset] = 9
        warning.bytesWanted = 9
        #expect(try Frame(bytes: bytes) == Frame(sequence: 1, message: .warning(warning)))
    }

    @Test("every message decodes to itself", arguments: Sample.all)
    func roundTrip(_ sample: Sample) throws {
        #expect(try Frame(bytes: sample.bytes) == sample.frame)
    }

    @Test("a frame that was cut in transit is an error", arguments: Sample.all)
    func cut(_ sample: Sample) {
        for count in 0..<sample.bytes.count {
            let expected: FrameError =
                count < Frame.headerSize
                ? .shortHeader(count) : .length(stated: UInt32(sample.bytes.count), actual: count)
            #expect(throws: expected) { try Frame(bytes: Array(sample.bytes.prefix(count))) }
        }
    }

    @Test("a frame that ends before its last field is an error, whatever its header says", arguments: Sample.all)
    func truncated(_ sample: Sample) {
        for count in Frame.headerSize..<max(sample.bytes.count - sample.optionalBytes, Frame.headerSize) {
            let error = #expect(throws: FrameError.self) {
                try Frame(bytes: Self.resized(sample.bytes, to: count))
            }
            guard case .truncated = error else {
                Issue.record("\(count) bytes: \(String(describing: error))")
                return
            }
        }
    }

    @Test("bytes after the last known field are ignored", arguments: Sample.all)
    func grown(_ sample: Sample) throws {
        #expect(try Frame(bytes: Self.resized(sample.bytes, to: sample.bytes.count + 9)) == sample.frame)
        #expect(try Frame(bytes: Self.resized(sample.bytes, to: Frame.maximumSize)) == sample.frame)
    }

    @Test(
        "the header is checked",
        arguments: [
            (0, 0, FrameError.version(0)),
            (0, 2, .version(2)),
            (2, 1, .reserved(1)),
            (3, 128, .reserved(0x8000)),
            (4, 17, .length(stated: 17, actual: 16)),
            (4, 15, .length(stated: 15, actual: 16)),
            (7, 1, .length(stated: 0x0100_0010, actual: 16)),
            (1, 0, .type(0)),
            (1, 8, .type(8)),
            (1, 255, .type(255)),
        ]
    )
    func header(offset: Int, byte: UInt8, expected: FrameError) throws {
        var bytes = try Frame(sequence: 1, message: .subscribe).encoded()
        bytes[offset] = byte
        #expect(throws: expected) { try Frame(bytes: bytes) }
    }

    @Test("a packet larger than any frame is an error")
    func tooLong() {
        let bytes = Self.resized(Sample.hosts[0].bytes, to: Frame.maximumSize + 1)
        #expect(throws: FrameError.tooLong(4097)) { try Frame(bytes: bytes) }
    }

    @Test(
        "an invalid value is an error",
        arguments: [
            ("welcome", 24, "level"),
            ("warning", 16, "level"),
            ("query", 16, "section"),
            ("simulate-all", 16, "level"),
            ("simulate-all", 17, "target"),
            ("daemon", 28, "level"),
            ("scope", 24, "state"),
            ("scope", 25, "level"),
            ("scope", 43, "rung"),
            ("host", 24, "state"),
            ("host", 34, "level"),
            ("host", 51, "outcome"),
            ("round", 24, "state"),
            ("round", 25, "level"),
            ("outcome", 16, "result"),
            ("send-id", 16, "target"),
            ("command-record", 28, "outcome"),
        ]
    )
    func value(name: String, offset: Int, field: String) throws {
        var bytes = try #require(Sample.all.first { $0.testDescription == name }).bytes
        for byte: UInt8 in [9, 255] {
            bytes[offset] = byte
            #expect(throws: FrameError.value(field: field, byte)) { try Frame(bytes: bytes) }
        }
    }

    @Test("fields of a newer peer are read as far as they are known")
    func growth() throws {
        var warning = Sample.hosts[2].bytes
        warning[17] |= 0xF8
        warning[18] = 200
        guard case .warning(let decoded) = try Frame(bytes: warning).message else {
            Issue.record("not a warning")
            return
        }
        #expect(decoded.options == [.answerWanted, .repeated])
        #expect(decoded.reason.source == .unknown)
        #expect(decoded.reason.figure == .percent(43.2))

        var refusal = Sample.hosts[4].bytes
        refusal[17] = 77
        let unknown = Refusal(code: Refusal.Code(rawValue: 0x4D04), message: "only root may warn every host")
        #expect(try Frame(bytes: refusal).message == .error(unknown))
    }

    @Test("unknown features that a newer host accepts are dropped, and its allocator is unknown")
    func newerHello() throws {
        var newer = Sample.hosts[0].bytes
        newer.replaceSubrange(newer.count - 2..<newer.count, with: [0xFF, 0xFF])
        let hello = Hello(priority: 200, releasable: 64 << 20, name: "galería", accepts: .commands)
        #expect(try Frame(bytes: newer).message == .hello(hello))
    }

    @Test("a buffer that is too small causes an error and is not overrun", arguments: Sample.all)
    func noRoom(_ sample: Sample) {
        withUnsafeTemporaryAllocation(byteCount: sample.bytes.count, alignment: 1) { buffer in
            for size in 0..<sample.bytes.count {
                buffer.copyBytes(from: repeatElement(0xAA, count: sample.bytes.count))
                let small = UnsafeMutableRawBufferPointer(rebasing: buffer[..<size])
                #expect(throws: FrameError.noRoom(bytes: size)) { try sample.frame.encode(into: small) }
                #expect(buffer[size...].allSatisfy { $0 == 0xAA })
            }
            #expect(throws: Never.self) { try sample.frame.encode(into: buffer) }
        }
    }

    /// The frame padded with zeros or truncated to `count` bytes, with a matching header.
    private static func resized(_ bytes: [UInt8], to count: Int) -> [UInt8] {
        var bytes = Array(bytes.prefix(count)) + [UInt8](repeating: 0, count: max(0, count - bytes.count))
        bytes.replaceSubrange(4..<8, with: withUnsafeBytes(of: UInt32(count).littleEndian, Array.init))
        return bytes
    }
}
