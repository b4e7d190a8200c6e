import Foundation
import Testing

/// One line of a case file.
///
/// A line that makes no sense is also a case, which fails when it runs.
struct ConformanceCase: Sendable, CustomTestStringConvertible {
    let id: String
    let script: Result<Script, CaseProblem>

    var testDescription: String { id }

    init(id: String, script: Result<Script, CaseProblem>) {
        self.id = id
        self.script = script
    }

    /// - Parameters:
    ///   - line: One JSON object.
    ///   - place: The name of the case if the line has none.
    init(line: String, at place: String = "a line") {
        guard let json = try? JSONDecoder().decode(JSON.self, from: Data(line.utf8)) else {
            self.init(id: place, script: .failure(CaseProblem("\(place) is not JSON of objects, texts and integers")))
            return
        }
        var id = place
        if case .object(let values) = json, case .string(let name)? = values["id"] { id = name }
        let script = Result { try Script(json) }
        self.init(id: id, script: script.mapError { $0 as? CaseProblem ?? CaseProblem("\($0)") })
    }

    func run() -> Outcome {
        switch script {
        case .success(let script): Runner(script).run()
        case .failure(let problem): Outcome(problem: problem)
        }
    }

    /// Describes how an outcome differs from the expected one; `nil` if it does not.
    func failure(of outcome: Outcome) -> String? {
        guard let expected = try? script.get().expected, outcome == expected else {
            return
                "\(id) is expected to end with\n\((try? script.get().expected) ?? Outcome())\nand ended with\n\(outcome)"
        }
        return nil
    }
}

extension ConformanceCase {
    /// The specification's cases: the project's copy, or the file that `CONFORMANCE_CASES` names.
    static let specified = all(
        in: ProcessInfo.processInfo.environment["CONFORMANCE_CASES"] ?? neighbour("controllers.cases.jsonl")
    )

    /// The project's own cases, for rules that the specification has no case for.
    static let further = all(in: neighbour("further.cases.jsonl"))

    /// Reads the cases in a file, one from each line.
    ///
    /// A file without cases yields one case that fails.
    static func all(in path: String) -> [ConformanceCase] {
        do {
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(whereSeparator: \.isNewline)
            guard !lines.isEmpty else { throw CaseProblem("there is no case in it") }
            return lines.enumerated().map { ConformanceCase(line: String($1), at: "\(path):\($0 + 1)") }
        } catch {
            return [ConformanceCase(id: path, script: .failure(CaseProblem("\(path) cannot be read: \(error)")))]
        }
    }

    private static func neighbour(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: name).path
    }
}
