import MemwarnProgram
import TestSupport
import Testing

@testable import memwarnd

struct RunOptionsTests {
    @Test func optionsAreReadWithTheirValues() throws {
        let options = try #require(
            try RunOptions([
                "run", "--socket", "/a", "--config=/b=c", "--kernel-root", "/d", "--store-patience", "3",
                "--owner=7",
            ])
        )
        #expect(options.socket == "/a")
        #expect(options.config == "/b=c")
        #expect(options.kernelRoot == "/d")
        #expect(options.storePatience == 3)
        #expect(options.owner == 7)
        #expect(try RunOptions(["run"])?.socket == nil)
    }

    @Test(
        "memwarnctl gets each command line that does not start the daemon",
        arguments: [
            [], ["status"], ["--version"], ["help", "run"], ["run", "--help"], ["run", "--socket", "-h"],
            ["run", "--version"],
            ["--generate-completion-script", "bash"],
        ]
    )
    func others(words: [String]) throws {
        #expect(try RunOptions(words) == nil)
    }

    @Test("an invalid command line exits with 64 and refers to the help")
    func usage() throws {
        for (words, problem) in [
            (["--socket"], "--socket takes a value"), (["--socket", "--config"], "--socket takes a value"),
            (["--sockets", "/a"], "“--sockets” is not an option of the daemon"),
            (["now"], "“now” is not an option of the daemon"),
            (["--owner", "me"], "--owner takes a number"), (["--owner=-1"], "--owner takes a number"),
        ] {
            var failure: Failure?
            do throws(Failure) { _ = try RunOptions(["run"] + words) } catch { failure = error }
            #expect(failure?.message == "\(problem); see “memwarnd run --help”", "\(words)")
            #expect(failure?.code == .usage)
        }
    }

    @Test("the options that memwarnctl explains are the daemon's options")
    func help() throws {
        let help = try ChildProcess("memwarnd", ["run", "--help"]).end().output
        for line in help.split(separator: "\n") where line.hasPrefix("  -") {
            let names = line.split(separator: " ").map { String($0.filter { $0 != "," }) }.prefix { $0.hasPrefix("-") }
            for name in names where name != "--help" && name != "-h" && name != "--version" {
                let value = line.contains("\(name) <") ? ["1"] : []
                #expect(try RunOptions(["run", name] + value) != nil, "\(name)")
            }
        }
        #expect(help.contains("--socket <path>"))
    }
}
