import ResourceArchives
import ResourceManager
import Testing

struct NibTests {
    @Test("every key sets the property that it names (1.9)")
    func everyKey() throws {
        let nib = try Reading.nib(
            """
            "$schema": "archive.schema.json",
            "view": {
                "class": "Index", "id": "index", "properties": {"path": "/i", "size": 1.5},
                "subviews": [{"id": "a"}, {"class": "B", "subviews": [{"id": "c"}]}],
                "variants": [
                    {"when": {"mode": "read-only", "memoryClass": "small", "minimumCores": 2, "degraded": true}},
                    {"when": {"degraded": false}, "properties": {"size": 2}}
                ]
            },
            "objects": [
                {
                    "class": "Tokens", "id": "tokens", "properties": {"words": ["x", null]},
                    "variants": [{"when": {"minimumCores": 1}, "absent": true}]
                }
            ],
            "outlets": [{"name": "a"}, {"name": "tokens", "of": "c"}, {"name": "first", "to": "index"}],
            "actions": [
                {"name": "go"}, {"name": "go", "from": "a", "event": "tap", "to": "owner"},
                {"name": "go", "to": "tokens"}, {"name": "go", "to": "chain"}
            ]
            """
        )
        let everything = EnvironmentCondition(
            mode: "read-only",
            memoryClass: .small,
            minimumCores: 2,
            isDegraded: true
        )
        let view = ArchivedObject(
            id: "index",
            className: "Index",
            properties: Properties(["path": .string("/i"), "size": .number(1.5)]),
            subviews: [
                ArchivedObject(id: "a"), ArchivedObject(className: "B", subviews: [ArchivedObject(id: "c")]),
            ],
            variants: [
                ArchiveVariant(when: everything),
                ArchiveVariant(
                    when: EnvironmentCondition(isDegraded: false),
                    properties: Properties(["size": .integer(2)])
                ),
            ]
        )
        let tokens = ArchivedObject(
            id: "tokens",
            className: "Tokens",
            properties: Properties(["words": .array([.string("x"), .null])]),
            variants: [ArchiveVariant(when: EnvironmentCondition(minimumCores: 1), isAbsent: true)]
        )
        #expect(
            nib
                == NibArchive(
                    view: view,
                    objects: [tokens],
                    outlets: [
                        ArchivedOutlet(name: "a"), ArchivedOutlet(name: "tokens", source: "c"),
                        ArchivedOutlet(name: "first", destination: "index"),
                    ],
                    actions: [
                        ArchivedAction(name: "go"), ArchivedAction(name: "go", source: "a", event: "tap"),
                        ArchivedAction(name: "go", target: .object("tokens")),
                        ArchivedAction(name: "go", target: .chain),
                    ]
                )
        )
    }

    @Test(
        "missing keys have the values' defaults",
        arguments: ["", "\"view\": {}", "\"view\": {\"subviews\": []}"]
    )
    func defaults(body: String) throws {
        #expect(try Reading.nib(body.isEmpty ? "\"objects\": []" : body) == NibArchive())
    }

    @Test("outlets in the short form keep their order in the file (1.9)")
    func shortOutlets() throws {
        let names = ["q", "b", "z", "a", "y", "c"]
        let views = names.map { "{\"id\": \"\($0)\"}" }.joined(separator: ",")
        let outlets = names.map { "\"o\($0)\": \"\($0)\"" }.joined(separator: ",")
        let nib = try Reading.nib("\"view\": {\"subviews\": [\(views)]}, \"outlets\": {\(outlets)}")
        #expect(nib.outlets == names.map { ArchivedOutlet(name: "o" + $0, destination: $0) })
    }

    static let broken: [(body: String, problems: [String])] = [
        (#""view": 1"#, ["2:9: view: expected an object in { }, found 1"]),
        (
            #""view": {"class": ""}"#,
            ["2:19: view.class: expected a text in quotes that is not empty, found an empty text"]
        ),
        (#""view": {"id": null}"#, ["2:16: view.id: expected a text in quotes that is not empty, found null"]),
        (#""view": {"properties": []}"#, ["2:24: view.properties: expected an object, found a list"]),
        (#""view": {"subviews": {}}"#, ["2:22: view.subviews: expected a list in [ ], found an object"]),
        (
            #""view": {"subview": []}"#,
            [
                "2:21: view.subview: unknown key; known here: class, id, properties, subviews, variants; "
                    + "did you mean \"subviews\"?"
            ]
        ),
        (
            #""view": {"id": "a", "subviews": [{"subviews": [{"id": "a"}]}]}"#,
            [
                "2:55: view.subviews[0].subviews[0].id: \"a\" is the id of another object already, in line 2"
            ]
        ),
        (
            #""view": {"id": "owner"}"#,
            [
                "2:16: view.id: \"owner\" has a meaning of its own in actions; take another id"
            ]
        ),
        (
            #""objects": [{"id": "a", "subviews": []}]"#,
            [
                "2:13: objects[0]: \"class\" is missing: say of what class it is",
                "2:37: objects[0].subviews: unknown key; known here: class, id, properties, variants",
            ]
        ),
        (
            #""view": {"id": "detail"}, "outlets": {"detial": "detial", "": "detail"}"#,
            [
                "2:49: outlets.detial: no object \"detial\"; did you mean \"detail\"?",
                "2:63: outlets.: a name must not be empty",
            ]
        ),
        (
            #""outlets": [{"name": "a"}, {"to": 1}, {"name": "b", "of": "c", "to": "d"}]"#,
            [
                "2:22: outlets[0].name: no object \"a\"", "2:28: outlets[1]: \"name\" is missing: say which outlet",
                "2:59: outlets[2].of: no object \"c\"", "2:70: outlets[2].to: no object \"d\"",
            ]
        ),
        (#""outlets": true"#, ["2:12: outlets: expected a list in [ ], found true"]),
        (
            #""actions": [{}, {"name": "a", "from": "b", "event": "", "to": "c"}]"#,
            [
                "2:13: actions[0]: \"name\" is missing: say which action",
                "2:39: actions[1].from: no object \"b\"",
                "2:53: actions[1].event: expected a text in quotes that is not empty, found an empty text",
                "2:63: actions[1].to: no object \"c\"",
            ]
        ),
        (
            #""view": {"variants": [{"when": {"memoryClass": "smal", "minimumCores": 0, "degraded": 1, "mode": 2}}]}"#,
            [
                "2:48: view.variants[0].when.memoryClass: expected \"small\" or \"medium\" or \"large\", "
                    + "found \"smal\"; did you mean \"small\"?",
                "2:72: view.variants[0].when.minimumCores: expected a whole number from 1 on, found 0",
                "2:87: view.variants[0].when.degraded: expected true or false, found 1",
                "2:98: view.variants[0].when.mode: expected a text in quotes that is not empty, found 2",
            ]
        ),
        (
            #""view": {"variants": [{}, {"when": {}, "absent": true}]}"#,
            [
                "2:23: view.variants[0]: \"when\" is missing: say where it applies, such as "
                    + "\"when\": {\"memoryClass\": \"small\"}",
                "2:36: warning: view.variants[1].when: applies everywhere; say where, or put it into the object itself",
                "2:50: view.variants[1].absent: a nib's root view cannot be absent",
            ]
        ),
        (
            #""scenes": {}"#,
            [
                "2:11: scenes: unknown key; known here: $schema, format, version, view, objects, outlets, actions"
            ]
        ),
    ]

    @Test("every problem is reported with its place and the expected value", arguments: broken)
    func problems(body: String, expected: [String]) {
        #expect(Reading.problems("nib", body) == expected)
    }
}
