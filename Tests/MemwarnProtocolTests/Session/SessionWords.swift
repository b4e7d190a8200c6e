import MemoryPressure
import Testing

@testable import MemwarnProtocol

/// The words of a line of `session.cases`, read one after the other.
struct SessionWords {
    private let line: String
    private var rest: String

    init(_ line: String) {
        self.line = line
        rest = line
    }

    mutating func word() throws -> String {
        let (word, rest) = rest.cut
        try #require(!word.isEmpty, "\(line): a word is missing")
        self.rest = rest
        return word
    }

    mutating func number<Number: FixedWidthInteger>() throws -> Number {
        let word = try word()
        return try #require(Number(word), "\(line): \(word) is no number")
    }

    /// The rest of the line.
    mutating func text() -> String {
        defer { rest = "" }
        return rest
    }

    mutating func level() throws -> PressureLevel {
        let word = try word()
        return try #require(PressureLevel.allCases.first { "\($0)" == word }, "\(line): \(word) is no level")
    }

    mutating func reason() throws -> PressureReason {
        let number: UInt8 = try number()
        return PressureReason(try #require(PressureReason.Source(rawValue: number), "\(line): no source \(number)"))
    }

    mutating func options() throws -> WarningOptions {
        let word = try word()
        return WarningOptions.letters.reduce(into: []) { if word.contains($1.letter) { $0.insert($1.option) } }
    }

    mutating func reply() throws -> CommandReply {
        let word = try word()
        let result = try #require(CommandReply.Result.allCases.first { "\($0)" == word }, "\(line): no result \(word)")
        return CommandReply(result: result, text: text())
    }
}

extension WarningOptions {
    fileprivate static let letters: [(letter: Character, option: WarningOptions)] = [
        ("s", .simulated), ("r", .repeated), ("a", .answerWanted),
    ]

    /// In the form of a line: letters, or a dash for none.
    fileprivate var text: String {
        isEmpty ? "-" : String(Self.letters.filter { contains($0.option) }.map(\.letter))
    }
}

extension ClientSession.Effect {
    /// The effect in the form of a line of `session.cases`.
    var text: String {
        switch self {
        case .connect(let socket): "connect \(socket)"
        case .register(let hello): "register \(hello.releasable)"
        case .acknowledge(let round, let acknowledgement): "acknowledge \(round) \(acknowledgement.released)"
        case .reply(let sequence, let reply):
            "reply \(sequence) \(reply.result)" + (reply.text.isEmpty ? "" : " \(reply.text)")
        case .disconnect: "disconnect"
        case .watchKernel(let level): "watch \(level)"
        case .stopWatchingKernel: "unwatch"
        case .news: "news"
        case .announce(.none): "announce none"
        case .announce(.daemon(let socket)): "announce daemon \(socket)"
        case .announce(.kernel): "announce kernel"
        case .deliver(let delivery):
            "deliver \(delivery.round) " + delivery.warning.text
        case .perform(let request):
            "perform \(request.name)" + (request.argument.isEmpty ? "" : " \(request.argument)")
        }
    }
}

extension Warning {
    fileprivate var text: String {
        "\(level) \(options.text) \(bytesWanted) \(reason.source.rawValue) \(scope)"
    }
}
