import ResourceArchives
import TestSupport
import Testing

@testable import ResourceManager
@testable import searchservice

/// The service that a storyboard describes, with the files of the example.
struct SearchServiceTests {
    /// A service with its index loaded, on a small machine.
    static func small(in directory: TemporaryDirectory? = nil) async throws -> SearchStage {
        let stage = try SearchStage(mebibytes: 256, in: directory)
        _ = try stage.running.start()
        await stage.host.finishLoads()
        return stage
    }

    @Test("launching loads nothing, and the index is built once it is in service (1.12)")
    func launch() async throws {
        let stage = try SearchStage()
        #expect(try stage.status(of: "index") == "index, not loaded")
        #expect(try stage.running.start() == "nothing to restore")
        #expect(try stage.status(of: "index") == "index, precision 0, shown")
        await stage.host.finishLoads()
        #expect(try stage.status(of: "index") == "index, precision 16, shown")
        #expect(try stage.lines("next") == ["action actor archive backing budget cache child controller"])
        #expect(stage.faults.isEmpty)
    }

    @Test("a segue pushes the query that prepare(for:) has configured (1.15)")
    func search() async throws {
        let stage = try await Self.small()
        let answer = try stage.lines("search", "memory pressure")
        #expect(answer.first?.hasSuffix(" hits for \"memory pressure\", from 0") == true)
        #expect(answer.count == 6)
        #expect(answer.dropFirst().allSatisfy { $0.contains("memory") && $0.contains("pressure") })
        #expect(try stage.lines("search", "cache").first?.contains("\"memory pressure cache\"") == true)
        #expect(try stage.status(of: "query") == "query, \"memory pressure cache\" from 0, shown")
        #expect(try stage.lines("back") == [])
        #expect(try stage.status(of: "query") == "query, \"memory pressure\" from 0, shown")
        #expect(stage.faults.isEmpty)
    }

    @Test("the pages of a query follow each other, and end with its last hits")
    func pages() async throws {
        let stage = try await Self.small()
        let first = try stage.lines("search", "memory")
        let second = try stage.lines("next")
        #expect(second.first?.hasSuffix("from 5") == true)
        #expect(second.count == 6)
        #expect(Set(first).isDisjoint(with: second))
        let numbers = (first.dropFirst() + second.dropFirst()).compactMap {
            $0.split(separator: ":").first.flatMap { Int($0) }
        }
        #expect(numbers.count == 10)
        #expect(numbers == numbers.sorted())
        for _ in 0..<300 { _ = stage.send("next") }
        #expect(try stage.status(of: "query") == "query, \"memory\" from 995, shown")
    }

    @Test("unknown and impossible commands are reported")
    func refusals() async throws {
        let stage = try await Self.small()
        #expect(stage.send("dance") == .unhandled)
        #expect(stage.send("back") == .failed("this is the bottom"))
        #expect(stage.send("search") == .failed("say what to search for: memory"))
        #expect(stage.send("segue:refine") == .unhandled)
        #expect(stage.faults.isEmpty)
    }

    @Test("a warning unloads the index off window; the next use loads it, with its outlets set again (1.9, 1.17)")
    func unload() async throws {
        let stage = try await Self.small()
        _ = stage.send("search", "memory pressure")
        let index = try stage.status(of: "index")
        #expect(index == "index, precision 8, loaded")
        let offered = stage.host.releasableBytes
        #expect(offered > 100_000)
        #expect(stage.host.simulateMemoryWarning().released >= offered)
        #expect(try stage.status(of: "index") == "index, not loaded")
        #expect(stage.host.releasableBytes == 0)

        // A further query needs the index, and has its hits as soon as the index is loaded.
        #expect(try stage.lines("search", "memory") == ["the index is being built; ask again with next"])
        await stage.host.finishLoads()
        #expect(try stage.status(of: "index") == index)
        let answer = try stage.lines("next")
        #expect(answer.first?.hasSuffix("from 0") == true)
        #expect(answer.count == 6)
        _ = stage.send("back")
        #expect(try stage.lines("next").first?.hasSuffix("from 5") == true)
        #expect(stage.faults.isEmpty)
    }

    @Test("the position in the terms outlives the view (4.17)")
    func cursor() async throws {
        let stage = try await Self.small()
        let first = try stage.lines("next")
        _ = stage.send("search", "memory")
        stage.host.simulateMemoryWarning()
        #expect(try stage.status(of: "index") == "index, not loaded")
        _ = stage.send("back")
        await stage.host.finishLoads()
        let second = try stage.lines("next")
        #expect(second != first)
        #expect(second == ["daemon degrade dismiss host index kernel layout level"])
    }

    @Test("an index in service gets coarser at a warning, and is complete again afterwards (4.19)")
    func degrade() async throws {
        let stage = try await Self.small()
        #expect(stage.host.simulateMemoryWarning().released > 0)
        #expect(try stage.status(of: "index") == "index, precision 2, shown")
        // An index that is built again stays coarse.
        _ = stage.send("rebuild")
        await stage.host.finishLoads()
        #expect(try stage.status(of: "index") == "index, precision 2, shown")
        stage.host.deliver(MemoryWarning(level: .normal))
        await stage.host.finishLoads()
        #expect(try stage.status(of: "index") == "index, precision 8, shown")
    }

    @Test("a small budget cuts the postings, and a growing one makes the service rebuild the index (action of the nib)")
    func budget() async throws {
        let stage = try await Self.small()
        let window = try stage.running.window
        window.resize(to: Budget(bytes: 200_000))
        #expect(try stage.status(of: "index") == "index, precision 2, shown")
        window.resize(to: Budget(bytes: 64 << 20))
        #expect(try stage.status(of: "index") == "index, precision 2, shown")
        await stage.host.finishLoads()
        #expect(try stage.status(of: "index") == "index, precision 8, shown")
        // The budget is sufficient now, so the index is not built again for ever.
        window.resize(to: Budget(bytes: 65 << 20))
        #expect(stage.host.loading.isEmpty)
    }
}
