import ResourceArchives
import TestSupport
import Testing

@testable import ResourceManager
@testable import searchservice

/// The example service in maintenance, beside a backup, in shards, on other machines, and after a restart.
struct SearchServiceModesTests {
    @Test("maintenance covers the service and changes its mode; the index may unload, and returns later (5.23, 5.24)")
    func maintenance() async throws {
        let stage = try await SearchServiceTests.small()
        #expect(stage.send("segue:maintain") == .done(""))
        #expect(try stage.lines("status").first?.hasPrefix("maintenance mode") == true)
        #expect(try stage.status(of: "maintenance") == "maintenance, shown")
        #expect(stage.send("segue:maintain") == .failed("the segue was refused"))
        #expect(stage.send("search", "memory") == .failed("the index is not in service; go back first"))
        stage.host.simulateMemoryWarning()
        #expect(try stage.status(of: "index") == "index, not loaded")
        #expect(stage.faults.isEmpty)
        // The service cannot work in this mode.
        #expect(try !stage.running.window.changeMode(to: .normal))
        #expect(stage.faults == [.environmentRefused])

        #expect(stage.send("back") == .done(""))
        await stage.host.finishLoads()
        #expect(try stage.lines("status").first?.hasPrefix("normal mode") == true)
        #expect(try stage.status(of: "index") == "index, precision 8, shown")
        #expect(try stage.status(of: "maintenance") == nil)
    }

    @Test("a backup leaves the index in service, and ends when the copy is written (5.25)")
    func backup() async throws {
        let stage = try await SearchServiceTests.small()
        var ended: [BackupEnded] = []
        let registration = stage.host.onNotification(BackupEnded.self) { ended.append($0) }
        _ = stage.send("segue:back-up")
        #expect(try stage.status(of: "backup") == "backup, shown")
        #expect(try stage.status(of: "index") == "index, precision 8, shown")
        await stage.host.finishLoads()
        #expect(try stage.status(of: "backup") == nil)
        #expect(ended.map(\.path) == [stage.state.path + ".backup"])
        #expect(ended.first?.problem == nil)
        let copy = RestorationFile(path: stage.state.path + ".backup")
        #expect(try copy.read() == .state(stage.running.window.restorableState()))
        withExtendedLifetime(registration) {}
    }

    @Test("shards are alternatives, and at first one is loaded; a small machine has only one (5.21)")
    func shards() async throws {
        let stage = try SearchStage(mebibytes: 8192)
        _ = try stage.running.start()
        _ = stage.send("segue:distribute")
        #expect(stage.send("search", "memory") == .failed("the shard is being built"))
        await stage.host.finishLoads()
        #expect(try stage.status(of: "archive") == "archive, 1500 days, not loaded")
        let few = try stage.lines("search", "memory")
        #expect(stage.send("next") == .done("archive"))
        await stage.host.finishLoads()
        #expect(try stage.lines("search", "memory") != few)
        #expect(stage.send("next") == .done("recent"))

        let small = try await SearchServiceTests.small()
        _ = small.send("segue:distribute")
        #expect(try small.status(of: "archive") == nil)
        #expect(small.send("next") == .done("recent"))
        #expect(small.faults.isEmpty)
    }

    @Test("views loaded after the limit has shrunk have the variant for small machines")
    func shrunk() async throws {
        let stage = try SearchStage(mebibytes: 8192)
        _ = try stage.running.start()
        await stage.host.finishLoads()
        let marked = try stage.lines("search", "memory pressure")
        #expect(marked.count == 6)
        #expect(marked.dropFirst().allSatisfy { $0.contains("[memory]") })
        try stage.setMemory(mebibytes: 256)
        #expect(try stage.lines("status").first?.hasSuffix("small memory") == true)
        // The old index finds the same hits, but does not mark them.
        let plain = try stage.lines("search", "memory pressure")
        #expect(plain.count == 6)
        #expect(!plain.contains { $0.contains("[") })
        #expect(stage.faults.isEmpty)
    }

    @Test("a view that loads under real pressure uses its variant for pressure")
    func degraded() async throws {
        let stage = try SearchStage(mebibytes: 8192)
        _ = try stage.running.start()
        await stage.host.finishLoads()
        stage.host.deliver(MemoryWarning(level: .warning, isSimulated: false))
        let plain = try stage.lines("search", "memory")
        #expect(plain.count == 6)
        #expect(!plain.contains { $0.contains("[") })
        _ = stage.send("back")
        stage.host.deliver(MemoryWarning(level: .normal, isSimulated: false))
        await stage.host.finishLoads()
        #expect(try stage.lines("search", "memory").contains { $0.contains("[memory]") })
    }

    @Test("a second start resumes at the same page of the same query, and the index loads when needed (5.40)")
    func restart() async throws {
        let first = try await SearchServiceTests.small()
        _ = first.send("search", "memory")
        _ = first.send("search", "cache")
        let page = try first.lines("next")
        #expect(page.first?.contains("\"memory cache\", from 5") == true)
        try first.running.save()

        let second = try SearchStage(mebibytes: 256, in: first.directory)
        #expect(try second.running.start() == "restored")
        #expect(try second.status(of: "query") == "query, \"memory cache\" from 5, shown")
        await second.host.finishLoads()
        #expect(try second.lines("next") == page)
        _ = second.send("back")
        #expect(try second.status(of: "query") == "query, \"memory\" from 0, shown")
        #expect(second.faults.isEmpty)
        #expect(try second.lines("search", "cache").count == 6)
    }

    @Test("a damaged state does not prevent the start")
    func damaged() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("{", to: "state.json")
        let stage = try SearchStage(mebibytes: 256, in: directory)
        #expect(try stage.running.start().hasSuffix("starts afresh, see \(stage.state.path).damaged"))
        #expect(try stage.status(of: "index")?.hasSuffix("shown") == true)
        await stage.host.finishLoads()
    }
}
