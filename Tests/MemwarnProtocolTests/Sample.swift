import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

/// A frame and its bytes on the wire.
///
/// The bytes are files in `Tests/Frames/version-1`, against which every other implementation of version 1 of the protocol can be
/// tested. They never change: as long as version 1 exists, these bytes have this meaning.
struct Sample: Sendable, CustomTestStringConvertible {
    /// The folder of the bytes, relative to the root of the repository.
    static let folder = "Tests/Frames/version-1"

    let testDescription: String
    let frame: Frame
    let bytes: [UInt8]
    /// The number of bytes at the end that a peer may omit, because they were added to the message later.
    let optionalBytes: Int

    init(_ name: String, sequence: UInt64, _ message: Message, optionalBytes: Int = 0) {
        testDescription = name
        frame = Frame(sequence: sequence, message: message)
        let text = try? Repository.read("\(Self.folder)/\(name).hex")
        // Without its file a sample has no bytes, and no frame is empty.
        bytes = [UInt8](hex: String(decoding: text ?? [], as: UTF8.self))
        self.optionalBytes = optionalBytes
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
            optionalBytes: 2
        ),
        Sample(
            "welcome",
            sequence: 1,
            .welcome(
                Welcome(
                    hostID: 7,
                    level: .warning,
                    reason: PressureReason(
                        .headroom,
                        figure: .percent(4.5),
                        threshold: .percent(10),
                        limit: BindingLimit(.high, bytes: 256 << 20, path: "/system.slice")
                    ),
                    scope: "/system.slice/gallery.service"
                )
            ),
            optionalBytes: 24
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
            )
        ),
        Sample(
            "error",
            sequence: 9,
            .error(Refusal(code: .notPermitted, message: "only root may warn every host"))
        ),
    ]

    static let control = [
        Sample(
            "query",
            sequence: 3,
            .query(Query(section: .hosts, after: 64))
        ),
        Sample(
            "simulate-all",
            sequence: 4,
            .simulate(Simulate(level: .warning))
        ),
        Sample(
            "simulate-name",
            sequence: 5,
            .simulate(Simulate(level: .critical, target: .name("gallery"), bytesWanted: 1 << 20, deadline: 250))
        ),
        Sample(
            "simulate-cgroup",
            sequence: 7,
            .simulate(Simulate(level: .warning, target: .cgroup("/a.slice"), bytesWanted: 1 << 30, deadline: 60_000))
        ),
        Sample(
            "simulate-pid",
            sequence: 6,
            .simulate(Simulate(level: .normal, target: .pid(4711), deadline: 2000))
        ),
        Sample("subscribe", sequence: 8, .subscribe),
        Sample(
            "end",
            sequence: 3,
            .end(End(next: 128))
        ),
        Sample(
            "missed",
            sequence: 8,
            .missed(Missed(count: 17))
        ),
    ]
}
