import CLinux
import ResourceArchives
import TestSupport
import Testing

@testable import ResourceManager

/// The limits of an archive, in a file and built in code (rule 1.20).
struct ArchiveLimitsTests {
    /// Archives that a program has built.
    private struct Built: ArchiveSource {
        var nib: NibArchive?
        var storyboard: StoryboardArchive?
        func nib(named name: String) -> NibArchive? { nib }
        func storyboard(named name: String) -> StoryboardArchive? { storyboard }
    }

    /// The fault that a host reports for a built archive.
    private static func fault(of archive: Built) -> ResourceFault? {
        let host = ControllerHost("limits")
        var fault: ResourceFault?
        host.faultHandling = .record { fault = fault ?? $0 }
        host.archives = archive
        if archive.storyboard != nil {
            _ = host.launch(storyboard: "Main")
        } else {
            ViewController(nibName: "Main", host: host).loadViewIfNeeded()
        }
        return fault
    }

    /// A storyboard in which each scene contains the next one `times` times.
    private static func chain(_ depth: Int, times: Int = 1) -> StoryboardArchive {
        var storyboard = StoryboardArchive(initialScene: "s1")
        for number in 1...depth {
            let children = number < depth ? Array(repeating: "s\(number + 1)", count: times) : []
            storyboard.scenes["s\(number)"] = SceneArchive(children: children)
        }
        return storyboard
    }

    private static func text(_ storyboard: StoryboardArchive) -> String {
        let scenes = storyboard.scenes.sorted { Int($0.key.dropFirst()) ?? 0 < Int($1.key.dropFirst()) ?? 0 }
            .map { "\"\($0)\":{\"children\":[\($1.children.map { "\"\($0)\"" }.joined(separator: ","))]}" }
        return "\"initial\":\"s1\",\"scenes\":{\(scenes.joined(separator: ","))}"
    }

    @Test("a file above 16 MiB is not read")
    func tooLong() throws {
        let long = [UInt8](repeating: UInt8(ascii: " "), count: 16 << 20 + 1)
        let reading = ArchiveReading(long, file: "x")
        #expect(reading.problems.map(\.description) == ["x:1:1: the file is larger than 16 MiB; make several of it"])

        let directory = try TemporaryDirectory()
        try directory.write("", to: "Huge.nib.json")
        #expect(truncate(directory.path + "/Huge.nib.json", 1 << 40) == 0)
        let error = #expect(throws: ArchiveError.self) {
            try JSONArchives(folders: [directory.path]).nib(named: "Huge")
        }
        #expect(error?.description.hasSuffix("the file is larger than 16 MiB; make several of it") == true)
    }

    @Test("a file that is not regular is refused at once", .timeLimit(.minutes(1)))
    func notRegular() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/Fifo.nib.json"
        #expect(mkfifo(path, 0o600) == 0)
        let expected = KernelError("take for a regular file", path, errno: EINVAL)
        #expect(throws: ArchiveError.unreadable(expected)) {
            try JSONArchives(folders: [directory.path]).nib(named: "Fifo")
        }
        #expect(throws: KernelError("take for a regular file", "/dev/zero", errno: EINVAL)) {
            try ArchiveReading(contentsOf: "/dev/zero")
        }
    }

    @Test("more than 100 problems are only counted, and errors come before warnings")
    func problems() {
        let views = Array(repeating: "{\"variants\":[{\"when\":{}}]}", count: 90) + Array(repeating: "1", count: 60)
        let problems = Reading.problems("nib", "\"view\":{\"subviews\":[\(views.joined(separator: ","))]}")
        #expect(problems.count == 101)
        #expect(problems.count { $0.contains("warning: view") } == 40)
        #expect(problems[99].contains("view.subviews[149]: expected an object"))
        #expect(problems[100].hasSuffix("warning: and 50 more, 0 of them errors; mend these first"))
        let errors = Reading.problems(
            "nib",
            "\"view\":{\"subviews\":[\(Array(repeating: "1", count: 130).joined(separator: ","))]}"
        )
        #expect(errors.last?.hasSuffix("and 30 more, 30 of them errors; mend these first") == true)
        #expect(errors.last?.contains("warning") == false)
    }

    @Test("a long name is shown in part, anywhere in the message")
    func longNames() {
        let name = String(repeating: "A", count: 20_000)
        let body = """
            "initial": "\(name)2", "scenes": {"\(name)": {"nib": "\(name)", "children": ["\(name)3", "\(name)"],
            "view": {}, "segues": {"\(name)": {"to": "a", "style": "\(name)"}, "b": {"\(name)": 1}}},
            "a": {"view": {"id": "\(name)", "subviews": [{"id": "\(name)"}]}, "outlets": {"\(name)": "\(name)4"}}}
            """
        let problems = Reading.problems("storyboard", body, nibs: [])
        #expect(problems.count >= 9)
        #expect(problems.allSatisfy { $0.utf8.count < 600 && !$0.contains(String(repeating: "A", count: 81)) })
    }

    @Test("an unknown name among very many has no hint, and takes no longer than others")
    func hints() {
        let long = String(repeating: "-", count: 56)
        let views = (0..<4_000).map { "{\"id\":\"\(long)v\($0)\"}" }.joined(separator: ",")
        let outlets = (0..<4_000).map { "{\"name\":\"x\",\"to\":\"\(long)w\($0)\"}" }.joined(separator: ",")
        let problems = Reading.problems("nib", "\"view\":{\"subviews\":[\(views)]},\"outlets\":[\(outlets)]")
        #expect(problems.count == 101)
        #expect(problems[0].hasSuffix("no object \"\(long)w0\""))
        #expect(problems[99].hasSuffix("no object \"\(long)w99\""))
        #expect(problems[100].hasSuffix("and 3900 more, 3900 of them errors; mend these first"))
    }

    @Test("a view has at most 10 000 views and objects, however they are nested")
    func views() throws {
        func nib(_ count: Int) -> NibArchive {
            NibArchive(
                view: ArchivedObject(subviews: Array(repeating: ArchivedObject(), count: count - 2)),
                objects: [ArchivedObject(className: "Responder")]
            )
        }
        #expect(Self.fault(of: Built(nib: nib(10_000))) == nil)
        let fault = try #require(Self.fault(of: Built(nib: nib(10_001))))
        #expect(fault == .unreadableArchive("Main", problem: "it has more than 10000 controllers, views and objects"))
        func text(_ count: Int) -> String {
            let views = Array(repeating: "{}", count: count - 2).joined(separator: ",")
            return "\"view\":{\"subviews\":[\(views)]},\"objects\":[{\"class\":\"Responder\"}]"
        }
        #expect(Reading.problems("nib", text(10_000)) == [])
        #expect(
            Reading.problems("nib", text(10_001)).map { $0.split(separator: ":").last } == [
                " a view has at most 10000 views and objects; leave some to code"
            ]
        )
    }

    @Test("views are nested at most 256 deep")
    func viewDepth() throws {
        func nib(_ depth: Int) -> NibArchive {
            NibArchive(view: (1..<depth).reduce(ArchivedObject()) { view, _ in ArchivedObject(subviews: [view]) })
        }
        #expect(Self.fault(of: Built(nib: nib(256))) == nil)
        let expected = ResourceFault.unreadableArchive("Main", problem: "its views lie more than 256 deep")
        #expect(Self.fault(of: Built(nib: nib(257))) == expected)
        let scene = StoryboardArchive(initialScene: "a", scenes: ["a": SceneArchive(view: .archive(nib(257)))])
        #expect(
            Self.fault(of: Built(storyboard: scene))
                == .unreadableArchive("Main", problem: "scene \"a\": its views lie more than 256 deep")
        )
    }

    @Test("scenes are nested at most 64 deep, in any order", arguments: [64, 65, 7_000])
    func sceneDepth(depth: Int) throws {
        let chain = Self.chain(depth)
        let place = "s\(depth - 64)"
        let problem = "scenes lie in each other more than 64 deep"
        let expected = depth > 64 ? ["scenes.\(place): from here on, \(problem)"] : []
        let found = Reading.problems("storyboard", Self.text(chain))
        #expect(found.map { $0.split(separator: ":", maxSplits: 2).last.map(String.init) } == expected.map { " " + $0 })
        #expect(
            Self.fault(of: Built(storyboard: chain))
                == (depth > 64 ? .unreadableArchive("Main", problem: "from \"\(place)\" on, \(problem)") : nil)
        )
    }

    @Test("a scene makes at most 10 000 controllers and views, however small the file is")
    func laughs() throws {
        // The first chain has 2¹³ − 1 controllers; the limit is 10 000.
        #expect(Reading.problems("storyboard", Self.text(Self.chain(13, times: 2))) == [])
        #expect(Self.fault(of: Built(storyboard: Self.chain(13, times: 2))) == nil)
        // More controllers than an integer can count.
        for depth in [14, 60] {
            let chain = Self.chain(depth, times: 10)
            let problem = "stands for more than 10000 controllers, views and objects"
            let found = Reading.problems("storyboard", Self.text(chain))
            #expect(
                found.map { $0.contains("scenes.s\(depth - 4): with all that it contains it \(problem)") } == [true]
            )
            let fault = ResourceFault.unreadableArchive("Main", problem: "the scene \"s\(depth - 4)\" \(problem)")
            #expect(Self.fault(of: Built(storyboard: chain)) == fault)
        }
    }

    @Test("a scene that contains itself is refused even if it was built in code")
    func ring() {
        let storyboard = StoryboardArchive(
            initialScene: "a",
            scenes: ["a": SceneArchive(children: ["b"]), "b": SceneArchive(children: ["a"])]
        )
        let problem = "the scene \"a\" would contain itself"
        #expect(Self.fault(of: Built(storyboard: storyboard)) == .unreadableArchive("Main", problem: problem))
    }

    @Test(
        "a storyboard has at most 100 000 scenes, views and objects",
        arguments: [("{\"view\":{}}", 50_000), ("{}", 100_000)]
    )
    func objects(scene: String, most: Int) {
        func found(_ count: Int) -> [String] {
            let scenes = (0..<count).map { "\"\($0)\":\(scene)" }.joined(separator: ",")
            return Reading.problems("storyboard", "\"scenes\":{\(scenes)}")
        }
        #expect(found(most) == [])
        let excess = found(most + 1)
        #expect(excess.count == 1)
        let problem = "scenes.\(most): up to here there are more than 100000 scenes, views and objects"
        #expect(excess.first?.hasSuffix(problem) == true)
    }

    @Test("a storyboard that was built in code has at most 100 000 scenes, views and objects")
    func builtObjects() {
        func built(_ count: Int) -> Built {
            var storyboard = StoryboardArchive(initialScene: "0")
            for number in 0..<count { storyboard.scenes["\(number)"] = SceneArchive() }
            return Built(storyboard: storyboard)
        }
        #expect(Self.fault(of: built(100_000)) == nil)
        let problem = "it has more than 100000 scenes, views and objects"
        #expect(Self.fault(of: built(100_001)) == .unreadableArchive("Main", problem: problem))
    }

    @Test("the deepest valid archive loads on a small stack")
    func smallStack() {
        let value = String(repeating: "[", count: 250) + String(repeating: "]", count: 250)
        let view =
            String(repeating: "{\"subviews\":[", count: 125) + "{}" + String(repeating: "]}", count: 125)
        let scenes = (1...64).map {
            let properties = "\"properties\":{\"restorationIdentifier\":\"s\($0)\",\"deep\":\(value)}"
            let children = $0 < 64 ? "\"s\($0 + 1)\"" : ""
            return
                "\"s\($0)\":{\"class\":\"NavigationController\",\(properties),\"children\":[\(children)],\"view\":\(view)}"
        }
        let text = """
            {"format":"storyboard","version":1,"initial":"s1","scenes":{\(scenes.joined(separator: ","))}}
            """
        let loaded = Locked(false)
        SmallStack.run {
            let host = ControllerHost("small")
            host.faultHandling = .record { Issue.record($0) }
            host.archives = JSONArchives(files: ["Main.storyboard.json": Array(text.utf8)])
            guard let window = host.launch(storyboard: "Main") else { return }
            window.makeVisible()
            for controller in host.viewControllers { controller.loadViewIfNeeded() }
            loaded.withLock { $0 = host.viewControllers.count == 64 && window.rootViewController?.isViewLoaded == true }
        }
        #expect(loaded.withLock { $0 })
    }
}
