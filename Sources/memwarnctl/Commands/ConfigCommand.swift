import ArgumentParser
import MemwarnProgram
import MemwarnProtocol
import MemwarnSettings
import WarningPolicy

/// `memwarnd config`.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Check the daemon's configuration, or show its values.",
        discussion: """
            The configuration is \(Settings.systemPath) and then every *.toml in the folder \
            \(Settings.systemPath).d, in the order of their names. A key that several files set has the value of \
            the last.
            """,
        subcommands: [Check.self, Show.self]
    )

    /// The configuration to read.
    struct Options: ParsableArguments {
        @Option(
            help: ArgumentHelp("Read this file, and its FILE.d, instead of the system's.", valueName: "file")
        )
        var config: String?
    }

    /// `memwarnd config check`.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Report the mistakes in the configuration.",
            discussion: """
                Prints each problem with its file, line and key. It only reads the files: a running daemon keeps its \
                present configuration.

                The daemon leaves a file with a mistake out as a whole when it starts; at a reload a mistake changes \
                nothing.

                Exit codes: 0 no problems, 78 there are problems.
                """
        )

        @OptionGroup var options: Options

        func run() {
            Failure.reported { () throws(Failure) in
                let reading = ConfigurationReading(of: options.config)
                guard reading.problems.isEmpty else {
                    for problem in reading.problems { try StandardOutput.print(problem) }
                    try StandardOutput.print(reading.consequence)
                    return .configuration
                }
                try StandardOutput.print(reading.summary)
                return .done
            }
        }
    }

    /// `memwarnd config show`.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Print every key with its value and the origin of the value.",
            discussion: """
                The output is itself a configuration with the same meaning. A file with a mistake is left out as a \
                whole, as by the daemon when it starts; its problems are printed on standard error.
                """
        )

        @OptionGroup var options: Options

        @Flag(help: "Print JSON.")
        var json = false

        func run() {
            Failure.reported { () throws(Failure) in
                let reading = ConfigurationReading(of: options.config)
                for problem in reading.problems { Failure.say("left out as a whole: \(problem)") }
                try StandardOutput.print(
                    json ? JSONOutput.text(ConfigurationEntry(reading), onOneLine: false) : reading.text
                )
                return .done
            }
        }
    }
}

extension ConfigurationReading {
    /// One sentence for a configuration without problems.
    fileprivate var summary: String {
        files.isEmpty
            ? "nothing wrong: there is no \(Settings.systemPath), every key has its default"
            : "nothing wrong in \(files.map(\.escapedForDisplay).joined(separator: ", "))"
    }

    /// One sentence about the files with problems.
    fileprivate var consequence: String {
        var refused: [String] = []
        for file in problems.map(\.file.escapedForDisplay) where !refused.contains(file) { refused.append(file) }
        let (are, they) = refused.count == 1 ? ("is", "it is") : ("are", "they are")
        return "\(refused.joined(separator: ", ")) \(are) left out as a whole until \(they) corrected"
    }
}
