import Testing

@testable import ResourceCaches
@testable import ResourceManager

/// A host on an actor of its own.
private actor Worker {
    private let service: Service

    init(_ reclaimer: Reclaimer) {
        service = Service(reclaimer)
    }

    func warn(round: UInt64) -> UInt64 {
        service.warn(round: round)
    }
}

/// A window and ten controllers, each of them loaded before a warning and one of them shown.
private struct Service {
    let stage: Stage
    let controllers: [RecordingController]
    let window: Window

    init(_ reclaimer: Reclaimer) {
        let stage = Stage(reclaimer: reclaimer)
        self.stage = stage
        controllers = (0..<10).map { stage.controller("\($0)") }
        window = stage.window()
    }

    func warn(round: UInt64) -> UInt64 {
        window.rootViewController = controllers[Int(round) % controllers.count]
        for controller in controllers { controller.view.cost = 1 }
        return stage.host.deliver(MemoryWarning(level: .warning, round: round)).released
    }
}

struct IsolationTests {
    @Test("two hosts on two actors receive the same rounds; each host's controllers answer, and the caches answer once")
    @MainActor
    func twoHosts() async {
        let reclaimer = Reclaimer()
        let worker = Worker(reclaimer)
        let service = Service(reclaimer)
        for round in 1...100 as ClosedRange<UInt64> {
            // A new cache, since a cache that has just shrunk may not grow yet.
            let cache = reclaimer.use { ResourceCache<Int, Int>("K") }
            for key in 0..<100 { cache.insert(key, for: key, cost: 1) }
            async let theirs = worker.warn(round: round)
            let ours = service.warn(round: round)
            #expect(await theirs + ours == 9 + 9 + 50)
            #expect(cache.totalCost == 50)
        }
    }
}
