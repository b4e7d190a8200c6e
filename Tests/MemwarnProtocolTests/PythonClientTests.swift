import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

@Suite("The client in Python", .enabled(if: Program.runs("python3", "--version"), "python3 is not installed"))
struct PythonClientTests {
    static let mib: UInt64 = 16

    @Test("registers, releases its cache, answers only when asked, and reconnects when the daemon returns")
    func session() throws {
        let listener = try PacketListener()
        let client = try Program(
            "python3",
            "\(Repository.root)/Examples/python/memwarn_client.py",
            "--name=demo",
            "--mib=\(Self.mib)",
            environment: ["MEMWARND_SOCKET=\(listener.path)"]
        )
        do {
            let host = try listener.accept()
            #expect(try host.receive() == Self.hello)
            try host.send(Frame(sequence: 1, message: .welcome(Self.welcome)))
            #expect(try client.line() == "registered as 7 in '/demo.slice', level normal")

            try host.send(Frame(sequence: 42, message: .warning(Self.warning(.critical, .answerWanted))))
            let (answer, first) = try Self.acknowledgement(host.receive())
            #expect(answer == 42)
            #expect(first.released == Self.mib << 20)
            #expect(first.releasable == 0)
            // The interpreter itself may allocate or free a little memory in between; the cache has to account for most of it.
            let fell = Int64(first.residentBefore) - Int64(first.residentAfter)
            #expect(fell >= Int64(Self.mib << 20) / 4 * 3, "resident fell by \(fell) bytes")
            #expect(try client.line() == #"round 42: critical in '/a\x1b', 43.2 %, 1024 bytes wanted"#)
            #expect(try client.line().hasPrefix("round 42: released \(Self.mib << 20) bytes"))

            // Answers to these would arrive before the answer to 45.
            try host.send(Frame(sequence: 43, message: .warning(Self.warning(.critical, .repeated))))
            try host.send(Frame(sequence: 44, message: .warning(Self.warning(.normal, []))))
            try host.send(Frame(sequence: 45, message: .warning(Self.warning(.warning, [.answerWanted, .simulated]))))
            let (next, second) = try Self.acknowledgement(host.receive())
            #expect(next == 45)
            #expect(second.released == 0)
            for start in ["round 43: critical", "round 44: normal", "round 45: warning", "round 45: released 0"] {
                #expect(try client.line().hasPrefix(start))
            }
            try host.send(Frame(sequence: 0, message: .error(Refusal(code: .notPermitted, message: "no\n"))))
            #expect(try client.line() == #"error 4: 'no\n'"#)
        }
        #expect(try client.line() == "the daemon closed the connection")
        #expect(try listener.accept().receive() == Self.hello)
    }

    static let hello = Frame(sequence: 1, message: .hello(Hello(releasable: mib << 20, name: "demo")))
    static let welcome = Welcome(hostID: 7, level: .normal, reason: PressureReason(.unknown), scope: "/demo.slice")

    static func warning(_ level: PressureLevel, _ options: WarningOptions) -> Warning {
        Warning(
            level: level,
            options: options,
            reason: PressureReason(.someStall, figure: .percent(43.2), threshold: .percent(40)),
            bytesWanted: 1024,
            deadline: 1000,
            scope: "/a\u{1b}"
        )
    }

    static func acknowledgement(_ frame: Frame) throws -> (UInt64, Acknowledgement) {
        guard case .acknowledgement(let acknowledgement) = frame.message else {
            throw UnexpectedMessage(message: frame.message)
        }
        return (frame.sequence, acknowledgement)
    }

    struct UnexpectedMessage: Error {
        let message: Message
    }
}
