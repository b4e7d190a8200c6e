import ResourceManager
import TestSupport
import Testing

@testable import ObjectCache
@testable import ResourceCaches

struct PressureWatchTests {
    private static let scarce = "MemTotal: 1000000 kB\nMemFree: 10000 kB\nMemAvailable: 10000 kB\n"
    private static let ample = "MemTotal: 1000000 kB\nMemFree: 900000 kB\nMemAvailable: 900000 kB\n"

    // In processes of their own, since a watch does not end.
    @Test("without a host, the kernel's shortage of memory empties the caches")
    func watches() async {
        await #expect(processExitsWith: .success) {
            let kernel = try FakeKernel(["/proc/meminfo": PressureWatchTests.scarce])
            let reclaimer = Reclaimer()
            let cache = reclaimer.use { Cache<Int, LastWords>() }
            let ended = AsyncStream<Void>.makeStream()
            cache.setObject(LastWords { ended.continuation.yield() }, forKey: 1, cost: 10)
            PressureWatch(reclaimer, kernel: kernel.tree, isAllowed: true).start()
            for await _ in ended.stream { break }
            #expect(cache.object(forKey: 1) == nil)
        }
    }

    @Test("a watch without a readable kernel file does nothing, and neither does a watch that is not permitted")
    func nothingToWatch() async {
        await #expect(processExitsWith: .success) {
            let kernel = try FakeKernel([:])
            let reclaimer = Reclaimer()
            let cache = reclaimer.use { Cache<Int, LastWords>() }
            cache.setObject(LastWords {}, forKey: 1)
            let watch = PressureWatch(reclaimer, kernel: kernel.tree, isAllowed: true)
            watch.start()
            watch.start()
            let host = ReclaimingHost(reclaimer)
            host.setRunning(true)
            host.setRunning(false)
            #expect(cache.object(forKey: 1) != nil)
            PressureWatch(Reclaimer(), kernel: kernel.tree, isAllowed: false).start()
        }
    }

    @Test("the level that a watch passes on lasts until its end, and is the level of no host")
    func relays() {
        let reclaimer = Reclaimer()
        let cache = reclaimer.use { Cache<Int, LastWords>() }
        let host = ReclaimingHost(reclaimer)
        var relay = WarningRelay(reclaimer)
        cache.setObject(LastWords {}, forKey: 1, cost: 10)
        #expect(host.releasableBytes == 10)
        relay.pass(on: .warning)
        #expect(relay.level == .warning)
        #expect(cache.object(forKey: 1) == nil)
        #expect(reclaimer.loadLimiter.isActive)
        relay.pass(on: .normal)
        #expect(relay.level == .normal)
    }

    @Test("a running host is detected")
    func runningHost() {
        let reclaimer = Reclaimer()
        let trace = SharedTrace()
        reclaimer.onHostChange { [unowned reclaimer] in trace.record("\(reclaimer.hasRunningHost)") }
        do {
            let host = ReclaimingHost(reclaimer)
            host.setRunning(true)
            withExtendedLifetime(host) {}
        }
        #expect(trace.take() == ["true", "false"])
    }
}
