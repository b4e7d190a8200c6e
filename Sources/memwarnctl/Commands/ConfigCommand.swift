import ArgumentParser
import MemwarnProgram
import MemwarnProtocol
import MemwarnSettings
import WarningPolicy

/// `memwarnd config`.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Check the daemon's configuration, or show what its files say.",
        discussion: """
            The configuration is \(Settings.systemPath) and then every *.toml in the folder \
            \(Settings.systemPath).d, in the order of their names. A key that several files set has the value of \
            the last.
            """,
        subcommands: [Check.self, Show.self]
    )

    /// Which configuration is meant.
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
            abstract: "Say what is wrong with the configuration, and where.",
            discussion: """
                Prints each problem with its file, line and key. Looks at the files only: a daemon that runs goes on \
                with what it has.

                Exit codes: 0 nothing is wrong, 78 the daemon leaves files out, or keeps what it has.
                """
        )

        @OptionGroup var options: Options

        func run() {
            Failure.reported { () throws(Failure) in
                let reading = ConfigurationReading(of: options.config)
                guard reading.problems.isEmpty else {
                    for problem in reading.problems { try StandardOutput.print(problem) }
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
            abstract: "Print every key with its value, and where that comes from.",
            discussion: """
                What is printed is itself a configuration that says the same. Files with a mistake are left out, as the \
                daemon leaves them out when it starts; what is wrong with them is said on standard error.
                """
        )

        @OptionGroup var options: Options

        @Flag(help: "Print JSON.")
        var json = false

        func run() {
            Failure.reported { () throws(Failure) in
                let reading = ConfigurationReading(of: options.config)
                for problem in reading.problems { Failure.say("left out: \(problem)") }
                try StandardOutput.print(
                    json ? JSONOutput.text(ConfigurationEntry(reading), onOneLine: false) : reading.text
                )
                return .done
            }
        }
    }
}

extension ConfigurationReading {
    /// That nothing is wrong, in one sentence.
    fileprivate var summary: String {
        files.isEmpty
            ? "nothing wrong: there is no \(Settings.systemPath), every key has its default"
            : "nothing wrong in \(files.map(\.escapedForDisplay).joined(separator: ", "))"
    }
}
