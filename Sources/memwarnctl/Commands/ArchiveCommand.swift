import ArgumentParser
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import ResourceArchives

/// `memwarnd archive`.
struct ArchiveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "archive",
        abstract: "Check the nibs and storyboards that services load.",
        subcommands: [Check.self]
    )

    /// `memwarnd archive check`.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Report the problems of archives.",
            discussion: """
                Reads nibs and storyboards in JSON and prints each problem with its file, line and column. A nib that \
                a scene names has to be among the files, or beside the storyboard as NAME.nib.json.

                Exit codes: 0 nothing is wrong, or there are only warnings; 1 an archive cannot be used.

                Examples:
                  memwarnd archive check Main.storyboard.json
                  memwarnd archive check --strict --json archives/*.json
                """
        )

        @Argument(help: ArgumentHelp("Archives to check.", valueName: "file"))
        var files: [String]

        @Flag(help: "Treat warnings as errors: exit with 1.")
        var strict = false

        @Flag(help: "Print JSON.")
        var json = false

        func run() {
            Failure.reported { () throws(Failure) in
                let check = ArchiveCheck(files)
                try StandardOutput.print(json ? JSONOutput.text(check, onOneLine: false) : check.text)
                return check.errors > 0 || strict && check.warnings > 0 ? .failed : .done
            }
        }
    }
}

/// The problems of some archives, including those of references between them.
private struct ArchiveCheck: Encodable {
    let files: Int
    let errors: Int
    let warnings: Int
    let problems: [Entry]

    struct Entry: Encodable {
        let severity: String
        let file: String
        /// `nil`, like the column, if the file cannot be read.
        let line: Int?
        let column: Int?
        let path: String
        let message: String
        /// The problem in one line; not part of the JSON.
        let description: String

        enum CodingKeys: CodingKey {
            case severity, file, line, column, path, message
        }

        init(_ problem: ArchiveProblem) {
            severity = problem.severity.rawValue
            file = problem.file
            line = problem.line
            column = problem.column
            path = problem.path
            message = problem.message
            description = "\(problem)"
        }

        init(_ error: KernelError) {
            severity = ArchiveProblem.Severity.error.rawValue
            file = error.path
            line = nil
            column = nil
            path = ""
            message = "\(error)"
            description = message.escapedForDisplay
        }

        var isError: Bool { severity == ArchiveProblem.Severity.error.rawValue }
    }

    init(_ paths: [String]) {
        files = paths.count
        let given = paths.compactMap { ArchiveFolder.nib(of: String($0.split(separator: "/").last ?? "")) }
        problems = paths.flatMap { path in
            do throws(KernelError) {
                let nibs = ArchiveFolder.nibs(beside: path).union(given)
                return try ArchiveReading(contentsOf: path, nibs: nibs).problems.map { Entry($0) }
            } catch {
                return [Entry(error)]
            }
        }
        errors = problems.count { $0.isError }
        warnings = problems.count - errors
    }

    var text: String {
        (problems.map(\.description) + [summary]).joined(separator: "\n")
    }

    private var summary: String {
        let found = [(errors, "error"), (warnings, "warning")].filter { $0.0 > 0 }.map { counted($0, $1) }
        return "\(counted(files, "file")): \(found.isEmpty ? "nothing wrong" : found.joined(separator: ", "))"
    }
}
