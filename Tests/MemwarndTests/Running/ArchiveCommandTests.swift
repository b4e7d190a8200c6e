import Foundation
import TestSupport
import Testing

struct ArchiveCommandTests {
    static let nib = #"{"format": "nib", "version": 1}"#
    static let sound = #"{"format": "storyboard", "version": 1, "scenes": {"a": {"nib": "Index"}}}"#
    static let lone = #"{"format": "storyboard", "version": 1, "initial": "a", "scenes": {"a": {}, "b": {}}}"#
    static let warning =
        "1:81: warning: scenes.b: no child or segue leads here from \"a\"; only code that names it can instantiate it"

    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    func check(_ arguments: String...) throws -> (code: CInt, output: String) {
        try ChildProcess("memwarnd", ["archive", "check"] + arguments).end()
    }

    func write(_ text: String, to name: String) throws -> String {
        try directory.write(text, to: name)
        return directory.path + "/" + name
    }

    @Test func validArchivesAreExitCodeZero() throws {
        let nib = try write(Self.nib, to: "Index.nib.json")
        let storyboard = try write(Self.sound, to: "Main.storyboard.json")
        let (code, output) = try check(nib, storyboard)
        #expect(code == 0)
        #expect(output == "2 files: nothing wrong")
        // The command finds the nib next to the storyboard as well, and the nib need not be valid for that.
        #expect(try check(storyboard) == (0, "1 file: nothing wrong"))
    }

    @Test func aNibMayBeAmongTheFilesInAnotherFolder() throws {
        let nib = try write(Self.nib, to: "nibs/Index.nib.json")
        let storyboard = try write(Self.sound, to: "storyboards/Main.storyboard.json")
        #expect(try check(storyboard, nib).code == 0)
        let (code, output) = try check(storyboard)
        #expect(code == 1)
        #expect(
            output == """
                \(storyboard):1:64: scenes.a.nib: no nib "Index" among the files or beside this one
                1 file: 1 error
                """
        )
    }

    @Test("each problem of each file is printed on a line, and the exit code is 1; unreadable files count too")
    func problems() throws {
        let first = try write(#"{"format": "nib", "version": 1, "outlets": {"a": "b"}, "c": 1}"#, to: "A.json")
        let second = try write("{\"format\":\n", to: "B.json")
        let (code, output) = try check(first, "/nonexistent", second)
        #expect(code == 1)
        #expect(
            output == """
                \(first):1:50: outlets.a: no object "b"
                \(first):1:61: c: unknown key; known here: $schema, format, version, view, objects, outlets, actions
                cannot open /nonexistent: No such file or directory (errno 2)
                \(second):2:1: expected a value, found the end of the file
                3 files: 4 errors
                """
        )
    }

    @Test("warnings alone exit with 0, and with 1 under --strict")
    func strict() throws {
        let file = try write(Self.lone, to: "Main.storyboard.json")
        let expected = "\(file):\(Self.warning)\n1 file: 1 warning"
        #expect(try check(file) == (0, expected))
        #expect(try check("--strict", file) == (1, expected))
    }

    @Test func jsonHasTheSameProblemsForMachines() throws {
        let file = try write(Self.lone, to: "Main.storyboard.json")
        let (code, output) = try check("--json", file, "/nonexistent")
        #expect(code == 1)
        let report = try CommandTests.object(output)
        #expect(report["files"] as? Int == 2)
        #expect(report["errors"] as? Int == 1)
        #expect(report["warnings"] as? Int == 1)
        let problems = try #require(report["problems"] as? [[String: Any]])
        #expect(problems.count == 2)
        #expect(Set(problems[0].keys) == ["severity", "file", "line", "column", "path", "message"])
        #expect(problems[0]["severity"] as? String == "warning")
        #expect(problems[0]["line"] as? Int == 1)
        #expect(problems[0]["column"] as? Int == 81)
        #expect(problems[0]["path"] as? String == "scenes.b")
        #expect(problems[1]["file"] as? String == "/nonexistent")
        #expect(problems[1]["line"] == nil)
    }

    @Test("an invalid command line exits with 64")
    func usage() throws {
        #expect(try check().code == 64)
        #expect(try check("--lax", "a").code == 64)
    }
}
