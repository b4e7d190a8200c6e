import MemoryPressure
import TestSupport
import Testing

@testable import MemwarnProtocol

/// A running case: a session, and the clock that its lines set.
struct SessionRun {
    private var session: ClientSession
    private var effects: [ClientSession.Effect] = []

    init(_ given: [String: String]) throws {
        var sockets = 1
        var seed: UInt64 = 1
        var level = PressureLevel.normal
        var grace = ClientSession.grace
        var watchesKernel = true
        for (key, value) in given {
            var words = SessionWords(value)
            switch key {
            case "sockets": sockets = try words.number()
            case "seed": seed = try words.number()
            case "level": level = try words.level()
            case "grace": grace = .microseconds(try words.number() as Int64)
            case "kernel": watchesKernel = try words.word() != "off"
            default: Issue.record("given \(key): not known")
            }
        }
        session = ClientSession(
            Hello(name: "host"),
            sockets: sockets,
            watchesKernel: watchesKernel,
            level: level,
            grace: grace,
            seed: seed
        )
    }

    /// Feeds one line to the session; returns the effects in the form of lines.
    mutating func feed(_ line: String) throws -> [String] {
        var words = SessionWords(line)
        let now = MonotonicInstant(nanoseconds: try words.number() * 1000)
        effects.removeAll(keepingCapacity: true)
        let word = try words.word()
        if let packet = try Self.packet(word, &words) {
            packet.withUnsafeBytes { session.handle(.packet($0), at: now, into: &effects) }
        } else {
            session.handle(try Self.input(word, &words), at: now, into: &effects)
        }
        return effects.map(\.text)
    }

    /// The deadline in the form of a line.
    var deadline: String {
        session.deadline.map { "\($0.nanoseconds / 1000)" } ?? "never"
    }

    private static func packet(_ word: String, _ words: inout SessionWords) throws -> [UInt8]? {
        switch word {
        case "bytes":
            return [UInt8](hex: words.text())
        case "welcome":
            let welcome = Welcome(
                hostID: 1,
                level: try words.level(),
                reason: try words.reason(),
                scope: try words.word()
            )
            return try Frame(sequence: 0, message: .welcome(welcome)).encoded()
        case "warning":
            let round: UInt64 = try words.number()
            let (level, options) = (try words.level(), try words.options())
            let (wanted, reason): (UInt64, PressureReason) = (try words.number(), try words.reason())
            let warning = Warning(
                level: level,
                options: options,
                reason: reason,
                bytesWanted: wanted,
                deadline: 1000,
                scope: try words.word()
            )
            return try Frame(sequence: round, message: .warning(warning)).encoded()
        case "command":
            let sequence: UInt64 = try words.number()
            let request = CommandRequest(name: try words.word(), argument: words.text())
            return try Frame(sequence: sequence, message: .command(request)).encoded()
        case "error":
            let refusal = Refusal(code: Refusal.Code(rawValue: try words.number()), message: "no")
            return try Frame(sequence: 0, message: .error(refusal)).encoded()
        default:
            return nil
        }
    }

    private static func input(_ word: String, _ words: inout SessionWords) throws -> ClientSession.Input {
        switch word {
        case "time": return .time
        case "connected": return .connected(releasable: try words.number())
        case "not-connected": return .notConnected(errno: try words.number())
        case "sent": return .sent
        case "not-sent": return .notSent(errno: try words.number())
        case "oversized": return .oversized(try words.number())
        case "closed": return .closed
        case "watched": return .kernelWatched(scope: try words.word())
        case "not-watched": return .kernelNotWatched(errno: try words.number())
        case "lost": return .kernelLost(errno: try words.number())
        case "kernel":
            let (level, options) = (try words.level(), try words.options())
            return .kernelLevel(level, try words.reason(), isRepeat: options.contains(.repeated))
        case "next": return .next
        case "acknowledged":
            let released: UInt64 = try words.number()
            return .acknowledged(
                Acknowledgement(released: released, residentBefore: 0, residentAfter: 0, duration: 0, releasable: 0)
            )
        case "performed": return .performed(try words.reply())
        default: throw UnknownWord(word: word)
        }
    }

    struct UnknownWord: Error {
        var word: String
    }
}
