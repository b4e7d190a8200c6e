import MemwarnSettings
import TestSupport
import Testing
import WarningPolicy

@testable import memwarnd

/// Checks that the manual pages in `packaging/man` describe exactly the existing commands, options and keys.
struct ManualTests {
    /// The options that every command takes.
    private static let common: Set = ["-h", "--help", "--version"]

    /// Each command as the user types it, with the options that the help lists.
    private static func commands(_ words: [String] = []) throws -> [(name: String, options: Set<String>)] {
        let help = try ChildProcess("memwarnd", ["help"] + words).end().output.split(separator: "\n")
        // The help indents a name by two blanks and its description by more. The hint at the end is a sentence.
        let subcommands = help.drop { $0 != "SUBCOMMANDS:" }.map { $0.dropFirst(2) }
            .filter { $0.first?.isLowercase == true }
        guard subcommands.isEmpty else {
            return try subcommands.flatMap { try commands(words + [String($0.prefix { $0 != " " })]) }
        }
        // Two blanks separate an option and its value from its description.
        let labels = help.filter { $0.hasPrefix("  -") }.map { $0.dropFirst(2).prefix { $0 != "<" && $0 != "[" } }
        let options = labels.flatMap { label in
            label.split(separator: "  ")[0].split { " ,/".contains($0) }.map(String.init)
        }
        return [((["memwarnd"] + words).joined(separator: " "), Set(options).subtracting(common))]
    }

    /// The options that a page's items explain, by section.
    private static func options(inPage name: String) throws -> [String: Set<String>] {
        var options: [String: Set<String>] = [:]
        var section = ""
        for line in try PackagingFile.text("man/\(name)").split(separator: "\n") {
            if line.hasPrefix(".Ss ") {
                section = String(line.dropFirst(4))
                options[section] = []
            } else if line.hasPrefix(".It Fl ") {
                let names = line.dropFirst(7).split(separator: " ").prefix { $0 != "Ar" && $0 != "Op" }
                options[section, default: []].formUnion(names.filter { $0 != "," }.map { "-\($0)" })
            }
        }
        return options
    }

    @Test("memwarnd(8) has a section for each command, with its options")
    func commands() throws {
        var sections = try Self.options(inPage: "memwarnd.8")
        let everywhere = sections.removeValue(forKey: "Options of every command")
        #expect(everywhere == Self.common.union(["--generate-completion-script"]))
        let commands = try Self.commands()
        #expect(Set(commands.map(\.name)) == Set(sections.keys))
        for (name, options) in commands where name != "memwarnd simulate" {
            #expect(sections[name] == options, "\(name)")
        }
        #expect(commands.contains { $0.options.isSuperset(of: ["--config", "--socket"]) })
    }

    @Test("memwarnd-simulate(1) has the command's options")
    func simulate() throws {
        let documented = Set(try Self.options(inPage: "memwarnd-simulate.1").values.joined())
        let simulate = try #require(try Self.commands().first { $0.name == "memwarnd simulate" })
        #expect(documented.subtracting(Self.common) == simulate.options)
        #expect(simulate.options.isSuperset(of: ["--wait", "--no-wait", "--json", "--expect-freed"]))
    }

    @Test("memwarnd.toml(5) has every key, with its default")
    func keys() throws {
        var defaults: [String: String] = [:]
        for line in try PackagingFile.text("man/memwarnd.toml.5").split(separator: "\n") {
            guard line.hasPrefix(".It Ic ") else { continue }
            let words = line.dropFirst(7).split(separator: " ", maxSplits: 2)
            try #require(words.count == 3 && words[1] == "=", "\(line)")
            // roff writes a quotation mark as `\(dq`.
            defaults[String(words[0])] = words[2].split(separator: "\\(dq", omittingEmptySubsequences: false)
                .joined(separator: "\"")
        }
        #expect(Set(defaults.keys) == Set(ConfigurationKey.all.map(\.path)))
        for key in ConfigurationKey.all {
            // A key without a single default is documented with the service's value.
            guard let value = key.write(Settings())?.toml else { continue }
            #expect(defaults[key.path] == value, "\(key.path)")
        }
    }
}
