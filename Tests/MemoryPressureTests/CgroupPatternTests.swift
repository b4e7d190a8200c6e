import MemoryPressure
import Testing

struct CgroupPatternTests {
    @Test(
        "a star matches any characters within one component; every other character matches itself",
        arguments: [
            ("/system.slice/*.service", "/system.slice/a.service", true),
            ("/system.slice/*.service", "/system.slice/.service", true),
            ("/system.slice/*.service", "/system.slice/a.service.service", true),
            ("/system.slice/*.service", "/system.slice/a.service/b.service", false),
            ("/system.slice/*.service", "/system.slice/a.scope", false),
            ("/system.slice/*.service", "/system.slice", false),
            ("/system.slice/*.service", "/user.slice/a.service", false),
            ("/system.slice/*.service", "system.slice/a.service", false),
            ("/system.slice/*.service", "//system.slice/a.service", false),
            ("/user.slice/*/app.slice", "/user.slice/user-1000.slice/app.slice", true),
            ("/user.slice/*/app.slice", "/user.slice/app.slice", false),
            ("/a", "/a", true), ("/a", "/A", false), ("/a", "/", false), ("/a", "", false), ("/a", "/a/", false),
            ("/*", "/", true), ("/*", "/anything", true), ("/*", "/a/b", false), ("/**", "/x", true),
            ("/a*b*c", "/abc", true), ("/a*b*c", "/axxbyybzzc", true), ("/a*b*c", "/acb", false),
            ("/*ab", "/aab", true), ("/*a*", "/bbb", false), ("/a?[b]", "/a?[b]", true), ("/a?", "/ab", false),
            ("/a.b", "/axb", false),
            // The kernel treats two spellings of a letter as two names, and a combining mark does not hide the slash before it.
            ("/\u{e9}", "/e\u{301}", false), ("/a/*", "/a/\u{301}b", true), ("/*", "/a/\u{301}b", false),
        ] as [(String, String, Bool)]
    )
    func matches(pattern: String, path: String, expected: Bool) throws {
        #expect(try CgroupPattern(pattern).matches(path) == expected)
    }

    @Test(
        "mistakes in a pattern are reported",
        arguments: [
            ("", "the cgroup pattern \"\" has to begin with /"),
            ("system.slice", "the cgroup pattern \"system.slice\" has to begin with /"),
            ("/", "the cgroup pattern \"/\" is the whole host; name a cgroup below it"),
            ("/a//b", "the cgroup pattern \"/a//b\" has nothing between two / or after the last; leave one / out"),
            ("/a/", "the cgroup pattern \"/a/\" has nothing between two / or after the last; leave one / out"),
            ("/a/../b", "the cgroup pattern \"/a/../b\" must not have . or .. in it; write the path without"),
            ("/./b", "the cgroup pattern \"/./b\" must not have . or .. in it; write the path without"),
        ]
    )
    func refuses(text: String, message: String) {
        let error = #expect(throws: CgroupPattern.ParseError.self) { try CgroupPattern(text) }
        #expect(error?.description == message)
    }

    @Test func tellsItsText() throws {
        #expect("\(try CgroupPattern("/a/*.service"))" == "/a/*.service")
        #expect(try CgroupPattern("/...").matches("/..."))
    }

    @Test("many stars match a long name quickly")
    func worstCase() throws {
        let pattern = try CgroupPattern("/" + String(repeating: "*a", count: 100) + "b")
        #expect(!pattern.matches("/" + String(repeating: "a", count: 255)))
    }
}
