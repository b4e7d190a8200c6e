import MemoryPressure
import MemwarnProtocol
import Testing

/// A frame and the bytes it has on the wire.
///
/// The bytes were packed by hand from the protocol's tables, not by the code under test.
struct Sample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let frame: Frame
    let bytes: [UInt8]
    /// How many bytes at the end a peer may leave out, because they were added to the message later.
    let optionalBytes: Int

    init(_ name: String, sequence: UInt64, _ message: Message, _ hex: String, optionalBytes: Int = 0) {
        testDescription = name
        frame = Frame(sequence: sequence, message: message)
        bytes = [UInt8](hex: hex)
        self.optionalBytes = optionalBytes
    }
}

extension [UInt8] {
    /// Bytes from hexadecimal digits in pairs, with blanks between them and `#` before a remark.
    init(hex: String) {
        self = hex.split(separator: "\n").flatMap { line in
            line.prefix { $0 != "#" }.split(separator: " ").compactMap { UInt8($0, radix: 16) }
        }
    }
}

extension Frame {
    init(bytes: [UInt8]) throws {
        self = try bytes.withUnsafeBytes { try Frame(decoding: $0) }
    }
}

extension Sample {
    static let all = hosts + control + commands + records + [counters]

    static let hosts = [
        Sample(
            "hello",
            sequence: 1,
            .hello(
                Hello(priority: 200, releasable: 64 << 20, name: "galería", accepts: .commands, allocator: .jemalloc)
            ),
            """
            01 01 00 00 25 00 00 00 01 00 00 00 00 00 00 00
            c8 00 00 00 04 00 00 00 00 08 00 67 61 6c 65 72 c3 ad 61 01 03
            """,
            optionalBytes: 2
        ),
        Sample(
            "welcome",
            sequence: 1,
            .welcome(
                Welcome(
                    hostID: 7,
                    level: .normal,
                    reason: PressureReason(.unknown),
                    scope: "/system.slice/gallery.service"
                )
            ),
            """
            01 02 00 00 4c 00 00 00 01 00 00 00 00 00 00 00
            07 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 1d 00 2f 73 79 73 74 65 6d 2e 73 6c 69 63
            65 2f 67 61 6c 6c 65 72 79 2e 73 65 72 76 69 63 65 00 00 00 00 00 00 00 00 00 00 00
            """,
            optionalBytes: 11
        ),
        Sample(
            "warning",
            sequence: 42,
            .warning(
                Warning(
                    level: .critical,
                    options: [.answerWanted, .repeated],
                    reason: PressureReason(
                        .someStall,
                        figure: .percent(43.2),
                        threshold: .percent(10),
                        limit: BindingLimit(.max, bytes: 512 << 20, path: "/a.slice")
                    ),
                    bytesWanted: 32 << 20,
                    deadline: 1000,
                    scope: "/"
                )
            ),
            """
            01 03 00 00 3d 00 00 00 2a 00 00 00 00 00 00 00
            02 06 01 e0 10 00 00 e8 03 00 00 00 00 00 02 00 00 00 00 e8 03 00 00 01 00 2f 03 00 00 00 20 00
            00 00 00 08 00 2f 61 2e 73 6c 69 63 65
            """,
            optionalBytes: 19
        ),
        Sample(
            "acknowledgement",
            sequence: 42,
            .acknowledgement(
                Acknowledgement(
                    released: 0x0102_0304_0506_0708,
                    residentBefore: 80 << 20,
                    residentAfter: 48 << 20,
                    duration: 12_345,
                    releasable: 16 << 20
                )
            ),
            """
            01 04 00 00 38 00 00 00 2a 00 00 00 00 00 00 00
            08 07 06 05 04 03 02 01 00 00 00 05 00 00 00 00 00 00 00 03 00 00 00 00 39 30 00 00 00 00 00 00
            00 00 00 01 00 00 00 00
            """
        ),
        Sample(
            "error",
            sequence: 9,
            .error(Refusal(code: .notPermitted, message: "only root may warn every host")),
            """
            01 05 00 00 31 00 00 00 09 00 00 00 00 00 00 00
            04 00 1d 00 6f 6e 6c 79 20 72 6f 6f 74 20 6d 61 79 20 77 61 72 6e 20 65 76 65 72 79 20 68 6f 73
            74
            """
        ),
    ]

    static let control = [
        Sample(
            "query",
            sequence: 3,
            .query(Query(section: .hosts, after: 64)),
            """
            01 10 00 00 19 00 00 00 03 00 00 00 00 00 00 00
            02 40 00 00 00 00 00 00 00
            """
        ),
        Sample(
            "simulate all",
            sequence: 4,
            .simulate(Simulate(level: .warning)),
            """
            01 11 00 00 24 00 00 00 04 00 00 00 00 00 00 00
            01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00
            """
        ),
        Sample(
            "simulate name",
            sequence: 5,
            .simulate(Simulate(level: .critical, target: .name("gallery"), bytesWanted: 1 << 20, deadline: 250)),
            """
            01 11 00 00 2b 00 00 00 05 00 00 00 00 00 00 00
            02 01 00 00 00 00 00 00 10 00 00 00 00 00 fa 00 00 00 07 00 67 61 6c 6c 65 72 79
            """
        ),
        Sample(
            "simulate pid",
            sequence: 6,
            .simulate(Simulate(level: .normal, target: .pid(4711), deadline: 2000)),
            """
            01 11 00 00 24 00 00 00 06 00 00 00 00 00 00 00
            00 02 67 12 00 00 00 00 00 00 00 00 00 00 d0 07 00 00 00 00
            """
        ),
        Sample("subscribe", sequence: 8, .subscribe, "01 12 00 00 10 00 00 00 08 00 00 00 00 00 00 00"),
        Sample(
            "end",
            sequence: 3,
            .end(End(next: 128)),
            """
            01 24 00 00 18 00 00 00 03 00 00 00 00 00 00 00
            80 00 00 00 00 00 00 00
            """
        ),
        Sample(
            "missed",
            sequence: 8,
            .missed(Missed(count: 17)),
            """
            01 25 00 00 18 00 00 00 08 00 00 00 00 00 00 00
            11 00 00 00 00 00 00 00
            """
        ),
    ]
}
