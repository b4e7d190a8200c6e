import Foundation
import MemoryPressure
import ResourceManager
import TestSupport
import Testing

@testable import ResourceArchives

struct DocumentTests {
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    static func blocks(_ language: String) throws -> [String] {
        let text = try String(contentsOf: root.appending(path: "docs/ARCHIVES.md"), encoding: .utf8)
        return text.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
    }

    @Test("every archive in ARCHIVES.md is valid, without a warning")
    func archives() throws {
        let blocks = try Self.blocks("json").filter { !$0.contains("\"state\"") }
        #expect(blocks.count >= 5)
        for block in blocks {
            let problems = ArchiveReading(Array(block.utf8), file: "ARCHIVES.md", nibs: ["Index"]).problems
            #expect(problems == [], "\(block)")
        }
    }

    @Test("the statements of ARCHIVES.md about outlets are true")
    func outlets() throws {
        let nibs = try Self.blocks("json").compactMap { block -> NibArchive? in
            guard block.contains("\"outlets\""), !block.contains("\"scenes\"") else { return nil }
            guard case .nib(let nib) = ArchiveReading(Array(block.utf8), file: "").content else { return nil }
            return nib
        }
        #expect(nibs.count == 2)
        #expect(
            nibs[0].outlets == [ArchivedOutlet(name: "terms"), ArchivedOutlet(name: "words", destination: "tokenizer")]
        )
        #expect(
            nibs[1].outlets == [
                ArchivedOutlet(name: "terms"), ArchivedOutlet(name: "tokenizer", source: "terms"),
                ArchivedOutlet(name: "words", destination: "tokenizer"),
            ]
        )
    }

    @Test("the code in ARCHIVES.md writes the state file that is shown there")
    func state() throws {
        let directory = try TemporaryDirectory()
        let file = RestorationFile(path: directory.path + "/state.json")
        try file.write(Properties(["query": .string("memory"), "hit": .integer(12)]))
        let written = try String(contentsOfFile: file.path, encoding: .utf8)
        #expect(try Self.blocks("json").last == written)
        let code = try #require(try Self.blocks("swift").last)
        #expect(code.contains(#"try file.write(Properties(["query": .string("memory"), "hit": .integer(12)]))"#))
    }

    @Test("the reader reports the problem that ARCHIVES.md shows")
    func problem() throws {
        let text = """
            {
                "format": "storyboard",
                "version": 1,
                "scenes": {
                    "home": {
                        "class": "ListController",
                        "properties": {
                            "title": "home"
                        },
                        "segues": {
                            "open": "detail",
                            "detail": {"to": "detial"}
                        }
                    },
                    "detail": {}
                }
            }
            """
        let problems = ArchiveReading(Array(text.utf8), file: "Main.storyboard.json").problems
        #expect(try Self.blocks("text") == problems.map { "\($0)\n" })
    }

    @Test("the example service's archives have no mistakes")
    func example() throws {
        let folder = Self.root.appending(path: "Examples/SearchService").path()
        for name in ["Main.storyboard.json", "Index.nib.json"] {
            #expect(try ArchiveReading(contentsOf: folder + "/" + name, nibs: ["Index"]).problems == [])
        }
        let archives = JSONArchives(folders: [folder])
        let storyboard = try #require(try archives.storyboard(named: "Main"))
        #expect(storyboard.initialScene == "service")
        #expect(storyboard.scenes["shards"]?.className == "TabController")
        #expect(storyboard.scenes["index"]?.segues["maintain"] == SegueArchive(to: "maintenance", kind: "present"))
        #expect(try archives.nib(named: "Index")?.outlets.count == 3)
    }

    @Test("the schema has the keys of the reader, and no others")
    func schema() throws {
        let bytes = try FileBytes.read(Self.root.appending(path: "docs/archive.schema.json").path())
        let definitions: Properties = try #require(try Properties(json: bytes, file: "archive.schema.json")["$defs"])
        let known: [String: [String]] = [
            "nib": NibKey.names, "storyboard": StoryboardKey.names, "scene": SceneKey.names, "segue": SegueKey.names,
            "view": ViewKey.names, "object": ObjectKey.names, "outlet": OutletKey.names, "action": ActionKey.names,
            "variant": VariantKey.names, "condition": ConditionKey.names, "state": StateKey.names,
        ]
        for (name, names) in known {
            let definition: Properties = try #require(definitions[name])
            let properties: Properties = try #require(definition["properties"])
            #expect(properties.values.keys.sorted() == names.sorted(), "\(name)")
            #expect(definition["additionalProperties"] == false, "\(name)")
        }
        // Every object of the schema that permits no other keys has to be known to this test.
        let described = definitions.values.compactMap { name, value in
            Properties(propertyValue: value)?.values["additionalProperties"] == .bool(false) ? name : nil
        }
        #expect(Set(described) == Set(known.keys))
    }

    @Test("the schema has the values of the reader")
    func choices() throws {
        let bytes = try FileBytes.read(Self.root.appending(path: "docs/archive.schema.json").path())
        let definitions: Properties = try #require(try Properties(json: bytes, file: "archive.schema.json")["$defs"])
        func choices(_ definition: String, _ key: String) throws -> [String] {
            let object: Properties = try #require(definitions[definition])
            let properties: Properties = try #require(object["properties"])
            let property: Properties = try #require(properties[key])
            return try #require(property["enum"])
        }
        #expect(try choices("segue", "style") == PresentationStyle.allCases.map(\.rawValue))
        #expect(try choices("condition", "memoryClass") == Environment.MemoryClass.allCases.map(\.rawValue))
    }
}

extension ArchiveKey {
    fileprivate static var names: [String] { allCases.map(\.rawValue) }
}
