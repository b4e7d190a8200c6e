import Foundation
import ResourceArchives
import ResourceManager
import TestSupport
import Testing

struct RestorationFileTests {
    let directory: TemporaryDirectory
    let file: RestorationFile

    init() throws {
        directory = try TemporaryDirectory()
        file = RestorationFile(path: directory.path + "/state.json")
    }

    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    @Test("what is written is read again, and replaces what was there (5.40)")
    func roundTrip() throws {
        #expect(file.read() == .none)
        try file.write(PropertiesJSONTests.rich)
        #expect(file.read() == .state(PropertiesJSONTests.rich))
        try file.write(Properties(["a": .integer(1)]))
        #expect(file.read() == .state(Properties(["a": .integer(1)])))
        #expect(try names() == ["state.json"])
    }

    @Test("only the owner may read it, whatever was there before")
    func mode() throws {
        try directory.write("", to: "state.json")
        chmod(file.path, 0o644)
        try file.write(Properties())
        var status = stat()
        #expect(stat(file.path, &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o600)
    }

    @Test("what a killed writer left is in nobody's way")
    func leftover() throws {
        try directory.write("{\"form", to: "state.json.new")
        #expect(file.read() == .none)
        try file.write(Properties(["a": .null]))
        #expect(file.read() == .state(Properties(["a": .null])))
        #expect(try names() == ["state.json"])
    }

    @Test(
        "a damaged state is set aside, with what is wrong, and nothing is fatal (5.40)",
        arguments: [
            ("", "1:1: expected a value, found the end of the file"),
            (#"{"format":"state","state":{"a":"#, "1:32: expected a value, found the end of the file"),
            (#"{"format":"nib","version":1,"state":{}}"#, #"1:11: format: expected "state", found "nib""#),
            (
                #"{"format":"state","version":2,"state":{}}"#,
                "1:29: version: version 2 is newer than this program, which reads version 1; update the program"
            ),
            (#"{"format":"state","version":1}"#, #"1:1: "state" is missing: the values that were saved"#),
            (#"{"format":"state","version":1,"state":[]}"#, "1:39: state: expected an object, found a list"),
            (
                #"{"format":"state","version":1,"state":{},"more":1}"#,
                "1:49: more: unknown key; known here: format, version, state"
            ),
        ]
    )
    func damaged(text: String, problem: String) throws {
        try directory.write("older", to: "state.json.damaged")
        try directory.write(text, to: "state.json")
        guard case .damaged(let error, let aside) = file.read() else {
            Issue.record("it was read")
            return
        }
        #expect(error.description == "\(file.path):\(problem)")
        #expect(aside == file.path + ".damaged")
        #expect(try names() == ["state.json.damaged"])
        #expect(try String(contentsOfFile: file.path + ".damaged", encoding: .utf8) == text)
        #expect(file.read() == .none)
    }

    @Test func whatCannotBeSetAsideStaysAndIsSaidToStay() throws {
        try directory.makeDirectory("state.json.damaged")
        try directory.write("x", to: "state.json")
        guard case .damaged(.damaged, nil) = file.read() else {
            Issue.record("it was set aside")
            return
        }
        #expect(try names() == ["state.json", "state.json.damaged"])
    }

    @Test("what cannot be read is not touched")
    func unreadable() throws {
        try directory.makeDirectory("state.json")
        let error = RestorationError.system(KernelError("read", file.path, errno: EISDIR))
        #expect(file.read() == .damaged(error, setAsideAt: nil))
        #expect(try names() == ["state.json"])
        #expect(throws: RestorationError.system(KernelError("replace", file.path, errno: EISDIR))) {
            try file.write(Properties())
        }
        #expect(try names() == ["state.json"])
    }

    @Test func withoutAFolderItSaysWhatToDo() throws {
        let lost = RestorationFile(path: directory.path + "/none/state.json")
        #expect(lost.read() == .none)
        let error = #expect(throws: RestorationError.self) { try lost.write(Properties()) }
        #expect(
            error?.description == "cannot open \(directory.path)/none: No such file or directory (errno 2); "
                + "let there be a folder that this user may write to, as StateDirectory= in a unit makes one"
        )
    }

    @Test("what cannot be written leaves the old state")
    func unwritable() throws {
        try file.write(Properties(["a": .integer(1)]))
        let error = #expect(throws: RestorationError.self) { try file.write(Properties(["a": .number(.nan)])) }
        #expect(error?.description == "cannot write state.a as JSON: nan is no number there; leave it out")
        #expect(file.read() == .state(Properties(["a": .integer(1)])))
    }

    @Test("many writers at once leave one of their states, whole, and nobody ever reads another")
    func together() async throws {
        let file = file
        let damage = await withTaskGroup(of: [String].self) { group in
            for writer in 1...8 {
                group.addTask {
                    // Of different lengths, so that nothing could cover what another has written.
                    let values = Array(repeating: PropertyValue.integer(writer), count: writer * 500)
                    return (0..<12).compactMap { _ in
                        do {
                            try file.write(Properties(["values": .array(values)]))
                        } catch {
                            return "\(error)"
                        }
                        guard case .state(let state) = file.read(), let values: [Int] = state["values"] else {
                            return "\(file.read())"
                        }
                        return values.count == values[0] * 500 && Set(values).count == 1 ? nil : "mixed \(values)"
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(damage == [])
        #expect(try names() == ["state.json"])
    }

    @Test("a writer that is killed in the middle of the file leaves the old state (5.40)")
    func killedInTheMiddle() throws {
        let old = Properties(["generation": .integer(1)])
        try file.write(old)
        // The kernel kills whoever writes a file that is larger than this, at that byte: 2 KiB, or 4 in some shells.
        let limited = "ulimit -c 0; ulimit -f 4; exec \"$0\" \"$@\""
        let path = try ChildProcess.path(of: "state-writer")
        let writer = try ChildProcess("/bin/sh", ["-c", limited, path, file.path, "2"])
        #expect(writer.rest() == "")
        #expect(writer.wait() == -SIGXFSZ)
        #expect(try names() == ["state.json", "state.json.new"])
        #expect(file.read() == .state(old))
        try file.write(Properties())
        #expect(try names() == ["state.json"])
    }

    @Test("a writer that is killed at any point leaves the old state or the new one, and no lock (5.40)")
    func killed() throws {
        var generator = SeededGenerator(seed: 11)
        var generation = 0
        for _ in 0..<30 {
            let writer = try ChildProcess("state-writer", [file.path, "\(generation)"])
            let line = try #require(writer.line(startingWith: "saved "))
            // Not to wait for anything, but to hit it at another point each time.
            usleep(UInt32.random(in: 0..<8_000, using: &generator))
            writer.send(SIGKILL)
            let said = [line] + writer.rest().split(separator: "\n").map { String($0) }
            #expect(writer.wait() == -SIGKILL)
            let saved = try #require(said.compactMap { Int($0.dropFirst("saved ".count)) }.max())

            guard case .state(let state) = file.read() else {
                Issue.record("\(file.read())")
                return
            }
            generation = try #require(state["generation"])
            // What it said to be on the disk is there, or what it was about to say.
            #expect(saved...(saved + 1) ~= generation)
            #expect(state["zcheck"] == generation)
            #expect(try Set(names()).isSubset(of: ["state.json", "state.json.new"]))
            generation += 1
        }
        try file.write(Properties())
        #expect(try names() == ["state.json"])
    }
}
