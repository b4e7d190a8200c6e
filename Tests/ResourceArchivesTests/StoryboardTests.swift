import ResourceArchives
import ResourceManager
import Testing

struct StoryboardTests {
    @Test("every key sets the property that it names (1.12, 1.14, 1.15)")
    func everyKey() throws {
        let storyboard = try Reading.storyboard(
            """
            "$schema": "archive.schema.json",
            "initial": "main",
            "scenes": {
                "main": {
                    "class": "NavigationController", "properties": {"title": "m"}, "children": ["list", "list"],
                    "variants": [{"when": {"degraded": true}, "properties": {"title": "d"}}],
                    "segues": {
                        "open": "detail", "ask": {"to": "detail", "kind": "present", "style": "overlay"},
                        "fade": {"to": "list", "kind": "fade"}
                    }
                },
                "list": {"nib": "List", "variants": [{"when": {"minimumCores": 2}, "absent": true}]},
                "detail": {
                    "view": {"id": "v"}, "objects": [{"class": "O", "id": "o"}], "outlets": {"o": "o"},
                    "actions": [{"name": "a", "to": "o"}]
                }
            }
            """
        )
        var expected = StoryboardArchive(initialScene: "main")
        expected.scenes["main"] = SceneArchive(
            className: "NavigationController",
            properties: Properties(["title": .string("m")]),
            variants: [
                ArchiveVariant(
                    when: EnvironmentCondition(isDegraded: true),
                    properties: Properties(["title": .string("d")])
                )
            ],
            children: ["list", "list"],
            segues: [
                "open": SegueArchive(to: "detail"),
                "ask": SegueArchive(to: "detail", kind: "present", style: .overlay),
                "fade": SegueArchive(to: "list", kind: "fade"),
            ]
        )
        let variant = ArchiveVariant(when: EnvironmentCondition(minimumCores: 2), isAbsent: true)
        expected.scenes["list"] = SceneArchive(variants: [variant], view: .nib("List"))
        expected.scenes["detail"] = SceneArchive(
            view: .archive(
                NibArchive(
                    view: ArchivedObject(id: "v"),
                    objects: [ArchivedObject(id: "o", className: "O")],
                    outlets: [ArchivedOutlet(name: "o")],
                    actions: [ArchivedAction(name: "a", target: .object("o"))]
                )
            )
        )
        #expect(storyboard == expected)
    }

    @Test("missing keys have the values' defaults (1.12)")
    func defaults() throws {
        #expect(try Reading.storyboard("\"scenes\": {}") == StoryboardArchive())
        let one = try Reading.storyboard("\"scenes\": {\"a\": {}, \"b\": {\"view\": {}}}")
        #expect(one.scenes == ["a": SceneArchive(), "b": SceneArchive(view: .archive(NibArchive()))])
        #expect(one.initialScene == nil)
    }

    static let broken: [(body: String, problems: [String])] = [
        (
            #""initial": "a""#,
            [
                "1:1: \"scenes\" is missing: say which scenes there are", "2:12: initial: no scene \"a\"",
            ]
        ),
        (
            #""initial": 1, "scenes": []"#,
            [
                "2:12: initial: expected a scene's identifier, found 1",
                "2:25: scenes: expected an object in { }, found a list",
            ]
        ),
        (#""scenes": {"": {}}"#, ["2:16: scenes.: a name must not be empty"]),
        (
            #""initial": "hom", "scenes": {"home": {"children": ["hme", 1], "#
                + #""segues": {"s": "hoome", "t": {"to": ""}}}}"#,
            [
                "2:12: initial: no scene \"hom\"; did you mean \"home\"?",
                "2:52: scenes.home.children[0]: no scene \"hme\"; did you mean \"home\"?",
                "2:59: scenes.home.children[1]: expected a scene's identifier, found 1",
                "2:79: scenes.home.segues.s: no scene \"hoome\"; did you mean \"home\"?",
                "2:100: scenes.home.segues.t.to: expected a scene's identifier, found an empty text",
            ]
        ),
        (
            #""scenes": {"a": {"segues": {"s": {"too": "a"}, "t": 1, "u": ""}}}"#,
            [
                "2:34: scenes.a.segues.s: \"to\" is missing: say to which scene it leads",
                "2:42: scenes.a.segues.s.too: unknown key; known here: to, kind, style; did you mean \"to\"?",
                "2:53: scenes.a.segues.t: expected an object in { }, found 1",
                "2:61: scenes.a.segues.u: expected a text in quotes that is not empty, found an empty text",
            ]
        ),
        (
            #""scenes": {"a": {"segues": {"s": {"to": "a", "style": "overlay"}, "t": {"to": "a", "style": "over"}}}}"#,
            [
                "2:55: warning: scenes.a.segues.s.style: a push has no style; say \"kind\": \"present\" if it is one",
                "2:93: scenes.a.segues.t.style: expected \"fullScreen\" or \"overlay\", found \"over\"",
                "2:93: warning: scenes.a.segues.t.style: a push has no style; say \"kind\": \"present\" if it is one",
            ]
        ),
        (
            #""scenes": {"a": {"nib": "A", "view": {}, "outlets": {}}, "b": {"actions": []}}"#,
            [
                "2:38: scenes.a.view: this scene has its view from a nib; put this into the nib, or leave \"nib\" out",
                "2:53: scenes.a.outlets: this scene has its view from a nib; put this into the nib, "
                    + "or leave \"nib\" out",
                "2:75: scenes.b.actions: belongs to a view; say \"view\" beside it, if only {}",
            ]
        ),
        (
            #""scenes": {"a": {"view": {"id": "x"}}, "b": {"view": {"id": "x"}, "outlets": {"y": "z"}}}"#,
            [
                "2:84: scenes.b.outlets.y: no object \"z\""
            ]
        ),
        (
            #""initial": "a", "scenes": {"a": {"variants": [{"when": {"mode": "m"}, "absent": true}]}}"#,
            [
                "2:81: scenes.a.variants[0].absent: the initial scene cannot be absent"
            ]
        ),
        (
            #""initial": "a", "scenes": {"a": {"segues": {"s": "b"}}, "b": {"children": ["c"]}, "#
                + #""c": {}, "d": {"children": ["e"]}, "e": {}}"#,
            [
                "2:97: warning: scenes.d: no child or segue leads here from \"a\"; "
                    + "only code that names it can instantiate it",
                "2:123: warning: scenes.e: no child or segue leads here from \"a\"; "
                    + "only code that names it can instantiate it",
            ]
        ),
        (
            #""scenes": {"a": {"children": ["a"]}}"#,
            ["2:31: scenes.a.children[0]: \"a\" would contain itself: a → a"]
        ),
        (
            #""scenes": {"x": {"children": ["a", "c"]}, "a": {"children": ["b"]}, "#
                + #""b": {"children": ["c", "a"]}, "c": {}}"#,
            [
                "2:93: scenes.b.children[1]: \"a\" would contain itself: a → b → a"
            ]
        ),
    ]

    @Test("every problem is reported with its place and the expected value", arguments: broken)
    func problems(body: String, expected: [String]) {
        #expect(Reading.problems("storyboard", body) == expected)
    }

    @Test("a scene may be contained twice, and its segue may lead back to its container, without forming a ring (1.14)")
    func noRing() {
        let body = """
            "scenes": {"a": {"children": ["b", "c"]}, "b": {"children": ["d"]}, "c": {"children": ["d", "d"]},
            "d": {"segues": {"up": "a"}}}
            """
        #expect(Reading.problems("storyboard", body) == [])
    }

    @Test func aRingOfTwentyThousandScenesIsFoundToo() {
        let count = 20_000
        let scenes = (0..<count).map { "\"\($0)\": {\"children\": [\"\(($0 + 1) % count)\"]}" }.joined(separator: ",")
        let problems = Reading.problems("storyboard", "\"scenes\": {\(scenes)}")
        #expect(problems.count == 1)
        #expect(problems[0].contains("scenes.\(count - 1).children[0]: \"0\" would contain itself: 0 → 1 → 2"))
        #expect(problems[0].hasSuffix("7 → … 19992 more … → 0"))
    }

    @Test("nibs are checked if the existing nibs are known (1.5)")
    func nibs() {
        let body = #""scenes": {"a": {"nib": "Indx"}, "b": {"nib": "Index"}}"#
        #expect(Reading.problems("storyboard", body) == [])
        #expect(
            Reading.problems("storyboard", body, nibs: ["Index"]) == [
                "2:25: scenes.a.nib: no nib \"Indx\" among the files or beside this one; did you mean \"Index\"?"
            ]
        )
    }
}
