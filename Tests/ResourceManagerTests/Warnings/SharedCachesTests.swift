import TestSupport
import Testing

@testable import ResourceCaches
@testable import ResourceManager

/// The effect of a host's warning on caches that belong to no host.
struct SharedCachesTests {
    @Test(
        "a controller's property is dropped at a warning without code in the controller, and loaded again (2.16)"
    )
    func inController() {
        final class SynonymController: ViewController {
            let synonyms = Reloadable("synonyms") { ["memory"] }
        }
        let stage = Stage()
        let controller = stage.reclaimer.use { SynonymController(host: stage.host) }
        _ = controller.synonyms.value()
        stage.host.simulateMemoryWarning()
        #expect(!controller.synonyms.isLoaded)
        #expect(controller.synonyms.value() == ["memory"])
    }

    // Runs in its own process, whose caches no other test's warnings reach.
    @Test("a cache receives any host's warning by itself, and its registration does not keep it alive")
    func processWide() async {
        await #expect(processExitsWith: .success) {
            weak var dead: ResourceCache<Int, Int>?
            do {
                let cache = ResourceCache<Int, Int>("short")
                dead = cache
            }
            #expect(dead == nil)
            let cache = ResourceCache<Int, Int>("long")
            for key in 0..<10 { cache.insert(key, for: key, cost: 10) }
            #expect(ControllerHost("h").simulateMemoryWarning().released == 50)
            #expect(cache.count == 5)
            #expect(LoadLimiter.shared.isActive)
        }
    }

    // Runs in its own process, in which no other test allocates.
    @Test(
        "at least 90 % of the memory that caches drop has returned to the kernel when the release is measured",
        .disabled(if: isUnderThreadSanitizer, "the thread sanitizer's allocator keeps freed memory")
    )
    func goesBackToTheKernel() async {
        await #expect(processExitsWith: .success) {
            let cache = ResourceCache<Int, [UInt8]>("heavy")
            for key in 0..<20_000 { cache.insert([UInt8](repeating: 1, count: 4000), for: key, cost: 4032) }
            let before = ProcessMemory.residentBytes()
            // Without the last trim, which a host makes.
            let dropped = Reclaimer.shared.reclaim(for: ReclaimRequest(level: .warning))
            let after = ProcessMemory.residentBytes()
            #expect(dropped == 10_000 * 4032)
            #expect(before > after && Double(before - after) >= Double(dropped) * 0.85, "\(before) to \(after)")
            let release = ControllerHost("h").simulateMemoryWarning(.critical)
            #expect(release.released == 9_000 * 4032)
            #expect(Double(release.residentFreed) >= Double(release.released) * 0.9, "\(release)")
        }
    }
}
