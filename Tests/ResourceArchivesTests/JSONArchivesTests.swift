import CLinux
import ResourceArchives
import ResourceManager
import TestSupport
import Testing

struct JSONArchivesTests {
    static func nib(_ className: String) -> String {
        #"{"format": "nib", "version": 1, "view": {"class": "\#(className)"}}"#
    }
    static let storyboard = #"{"format": "storyboard", "version": 1, "initial": "a", "scenes": {"a": {}}}"#

    @Test("archives come from the first folder that has them, in their present contents (1.5, 1.6)")
    func folders() throws {
        let first = try TemporaryDirectory()
        let second = try TemporaryDirectory()
        try first.write(Self.nib("A"), to: "Both.nib.json")
        try second.write(Self.nib("B"), to: "Both.nib.json")
        try second.write(Self.storyboard, to: "Main.storyboard.json")
        let archives = JSONArchives(folders: [first.path, "/nonexistent", second.path])
        #expect(try archives.nib(named: "Both")?.view.className == "A")
        #expect(try archives.storyboard(named: "Main")?.initialScene == "a")
        try first.write(Self.nib("C"), to: "Both.nib.json")
        #expect(try archives.nib(named: "Both")?.view.className == "C")
    }

    @Test(
        "a missing archive is nil, without an error (1.7)",
        arguments: ["None", "", "../Up", "In/Down", "Nul\u{0}", "Main"]
    )
    func absent(name: String) throws {
        let directory = try TemporaryDirectory()
        try directory.write(Self.nib("A"), to: "Up.nib.json")
        try directory.write(Self.nib("A"), to: "folder/In/Down.nib.json")
        try directory.write(Self.nib("A"), to: "folder/Nul")
        try directory.write(Self.storyboard, to: "folder/Main.storyboard.json")
        let archives = JSONArchives(folders: [directory.path + "/folder"])
        #expect(try archives.nib(named: name) == nil)
        #expect(try JSONArchives(files: [:]).storyboard(named: name) == nil)
    }

    @Test func aFileThatCannotBeReadIsAnErrorWithItsErrno() throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("Folder.nib.json")
        try directory.write("", to: "file")
        let folder = directory.path
        #expect(throws: ArchiveError.unreadable(KernelError("read", folder + "/Folder.nib.json", errno: EISDIR))) {
            try JSONArchives(folders: [folder]).nib(named: "Folder")
        }
        let error = #expect(throws: ArchiveError.self) {
            try JSONArchives(folders: [folder + "/file"]).nib(named: "A")
        }
        #expect(error?.description == "cannot open \(folder)/file/A.nib.json: Not a directory (errno 20)")
    }

    @Test func anInvalidArchiveIsAnErrorWithAllProblems() {
        let text =
            #"{"format": "nib", "version": 1, "outlets": {"a": "b"}, "vew": {}, "view": {"variants": [{"when": {}}]}}"#
        let archives = JSONArchives(files: ["Bad.nib.json": Array(text.utf8)])
        let error = #expect(throws: ArchiveError.self) { try archives.nib(named: "Bad") }
        // The third problem is a warning, so the error does not list it.
        #expect(
            error?.description == """
                Bad.nib.json:1:50: outlets.a: no object "b"
                Bad.nib.json:1:63: vew: unknown key; known here: $schema, format, version, view, objects, outlets, \
                actions; did you mean "view"?
                """
        )
    }

    @Test("an archive of the other format is an error, and a warning is not")
    func memory() throws {
        let lone = #"{"format": "storyboard", "version": 1, "initial": "a", "scenes": {"a": {}, "b": {}}}"#
        let archives = JSONArchives(files: [
            "A.nib.json": Array(Self.nib("A").utf8), "B.nib.json": Array(Self.storyboard.utf8),
            "C.storyboard.json": Array(lone.utf8),
        ])
        #expect(try archives.nib(named: "A")?.view.className == "A")
        #expect(try archives.storyboard(named: "A") == nil)
        #expect(throws: ArchiveError.self) { try archives.nib(named: "B") }
        #expect(try archives.storyboard(named: "C")?.scenes.count == 2)
    }
}
