import ResourceArchives
import ResourceManager
import Testing

struct ArchiveReadingTests {
    static func problems(_ text: String, file: String = "x") -> [String] {
        ArchiveReading(Array(text.utf8), file: file).problems.map(\.description)
    }

    @Test(
        "a file has to name its format, in a known version",
        arguments: [
            ("", "x:1:1: expected a value, found the end of the file"),
            ("[]", "x:1:1: expected an object in { }, found a list"),
            ("{}", #"x:1:1: "format" is missing: say "format": "nib" or "format": "storyboard""#),
            (#"{"format": 1}"#, #"x:1:12: format: expected "nib" or "storyboard", found 1"#),
            (
                #"{"format": "nip"}"#,
                #"x:1:12: format: expected "nib" or "storyboard", found "nip"; did you mean "nib"?"#
            ),
            (#"{"format": "nib"}"#, #"x:1:1: "version" is missing: say "version": 1"#),
            (#"{"format": "nib", "version": "1"}"#, "x:1:30: version: expected a whole number from 1 on, found a text"),
            (
                #"{"format": "nib", "version": 2, "view": 3}"#,
                "x:1:30: version: version 2 is newer than this program, which reads version 1; update the program"
            ),
        ]
    )
    func header(text: String, expected: String) {
        #expect(Self.problems(text) == [expected])
    }

    @Test("a file's name determines its format")
    func name() {
        let nib = #"{"format": "nib", "version": 1}"#
        #expect(Self.problems(nib, file: "a/Main.nib.json") == [])
        #expect(Self.problems(nib, file: "a/Main.json") == [])
        #expect(
            Self.problems(nib, file: "Main.storyboard.json").contains(
                #"Main.storyboard.json:1:12: format: expected "storyboard", found "nib""#
            )
        )
        #expect(
            Self.problems("{}", file: "A.nib.json") == [#"A.nib.json:1:1: "format" is missing: say "format": "nib""#]
        )
    }

    @Test("names from a file can neither control a terminal nor forge a line")
    func escaping() {
        let text = #"{"format": "nib", "version": 1, "\u001b[2J\nx:1:1": 1}"#
        let problems = Self.problems(text)
        #expect(problems.count == 1)
        #expect(problems[0].hasPrefix(#"x:1:53: \u{1b}[2J\u{a}x:1:1: unknown key"#))
    }

    @Test("an archive with a warning can be used, and an archive with an error cannot")
    func severity() {
        let harmless = ArchiveReading(
            Array(#"{"format":"nib","version":1,"view":{"variants":[{"when":{}}]}}"#.utf8),
            file: "x"
        )
        #expect(harmless.problems.map(\.severity) == [.warning])
        #expect(harmless.errors == [])
        #expect(harmless.content != nil)
        let broken = ArchiveReading(Array(#"{"format":"nib","version":1,"views":{}}"#.utf8), file: "x")
        #expect(broken.errors == broken.problems)
        #expect(broken.problems.count == 1)
        #expect(broken.content == nil)
    }
}
