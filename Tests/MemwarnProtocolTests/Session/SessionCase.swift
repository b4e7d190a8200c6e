import TestSupport
import Testing

@testable import MemwarnProtocol

/// A case of `session.cases`: the inputs of a session, and the expected effects.
struct SessionCase: Sendable, CustomTestStringConvertible {
    /// An input, its expected effects, and the deadline after it if the case specifies one.
    struct Step: Sendable {
        var line: String
        var effects: [String] = []
        var deadline: String?
    }

    let name: String
    let title: String
    var given: [String: String] = [:]
    var steps: [Step] = []

    var testDescription: String { "\(name): \(title)" }

    static let all: [SessionCase] = (try? read("Tests/MemwarnProtocolTests/Session/session.cases")) ?? []

    /// The cases of a file; a case that follows another begins with that one's steps.
    static func read(_ path: String) throws -> [SessionCase] {
        var cases: [SessionCase] = []
        for line in String(decoding: try Repository.read(path), as: UTF8.self).split(separator: "\n") {
            let (word, rest) = line.cut
            switch word {
            case "#":
                continue
            case "case":
                cases.append(SessionCase(name: rest.cut.word, title: rest.cut.rest))
                continue
            default:
                break
            }
            guard var last = cases.popLast() else { throw Misplaced(line: String(line)) }
            defer { cases.append(last) }
            switch word {
            case "given":
                last.given[rest.cut.word] = rest.cut.rest
            case "after":
                guard let first = cases.first(where: { $0.name == rest }) else { throw Misplaced(line: String(line)) }
                last.given = first.given
                last.steps = first.steps
            case ">", "=":
                guard var step = last.steps.popLast() else { throw Misplaced(line: String(line)) }
                if word == "=" { step.deadline = rest } else { step.effects.append(rest) }
                last.steps.append(step)
            default:
                last.steps.append(Step(line: String(line)))
            }
        }
        return cases
    }

    /// A line that does not belong to any case or step.
    struct Misplaced: Error {
        var line: String
    }
}

extension StringProtocol {
    /// The first word, and the text after the next space.
    var cut: (word: String, rest: String) {
        let parts = split(separator: " ", maxSplits: 1)
        return (parts.first.map { String($0) } ?? "", parts.count > 1 ? String(parts[1]) : "")
    }
}
