import Dispatch
import Foundation
import TestSupport
import Testing

@testable import ResourceCaches
@testable import ResourceManager

/// Several hosts in one process, and the caches that they share.
@Suite(.ownCaches)
struct HostsSharingCachesTests {
    private let reclaimer = Reclaimer.current
    private let trace = SharedTrace()
    private let cache: FakeResponder

    init() {
        cache = FakeResponder("K", trace, bytes: 1024)
        reclaimer.register(cache)
    }

    private func hosts(_ count: Int) -> [ControllerHost] {
        (0..<count).map { ControllerHost("\($0)") }
    }

    private func kernel(_ level: PressureLevel, isRepeat: Bool = false) -> MemoryWarning {
        MemoryWarning(level: level, isSimulated: false, isRepeat: isRepeat)
    }

    @Test(
        "one event of the kernel at four hosts makes the caches shrink once, and a repetition makes them shrink once more (8.8)"
    )
    func kernelEvent() {
        let hosts = hosts(4)
        #expect(hosts.map { $0.deliver(kernel(.warning)).released } == [512, 0, 0, 0])
        #expect(hosts.reversed().map { $0.deliver(kernel(.warning, isRepeat: true)).released } == [256, 0, 0, 0])
        #expect(hosts.map { $0.deliver(kernel(.critical)).released } == [231, 0, 0, 0])
        #expect(trace.take() == ["K.warning(rule)=512", "K.warning(rule)=256", "K.critical(rule)=231"])
    }

    @Test("a warning of the present level releases something if it is a repetition, wants bytes or belongs to a round")
    func presentLevel() {
        let host = ControllerHost("h")
        #expect(host.deliver(kernel(.warning)).released == 512)
        #expect(host.deliver(kernel(.warning)).released == 0, "it states the level")
        let wanting = MemoryWarning(level: .warning, bytesWanted: 100, isSimulated: false)
        #expect(host.deliver(wanting).released == 100)
        #expect(host.deliver(kernel(.warning, isRepeat: true)).released == 206)
        #expect(host.deliver(MemoryWarning(level: .warning, isSimulated: false, round: 1)).released == 103)
    }

    @Test("the bytes wanted in a round add up, and each host counts the bytes that the caches released for it (8.8)")
    func round() {
        let hosts = hosts(3)
        let released = zip(hosts, [200, 100, 0] as [UInt64]).map { host, wanted in
            host.deliver(MemoryWarning(level: .warning, bytesWanted: wanted, isSimulated: false, round: 7)).released
        }
        #expect(released == [200, 100, 0])
        #expect(trace.take() == ["K.warning(200)=200", "K.warning(100)=100"])
    }

    @Test("at critical the rule is applied once, and the caches add only the bytes that the hosts want beyond it")
    func criticalRound() {
        let released = hosts(3).map { host in
            host.deliver(MemoryWarning(level: .critical, bytesWanted: 400, isSimulated: false, round: 7)).released
        }
        // Of the 1024 bytes, the level's rule leaves 102.
        #expect(released == [922, 0, 102])
    }

    @Test("two hosts on two threads that deliver one warning at once make the caches shrink once", arguments: 1...20)
    func twoThreads(_: Int) {
        let released = Released()
        let ended = DispatchSemaphore(value: 0)
        for _ in 0..<2 {
            // Threads of their own: in a pool, two cases of this test could each get one thread only and wait for ever.
            Thread.detachNewThread { [reclaimer] in
                let host = reclaimer.use { ControllerHost("h") }
                released.meet()
                released.add(host.deliver(MemoryWarning(level: .warning, isSimulated: false)).released, keeping: host)
                ended.signal()
            }
        }
        for _ in 0..<2 { ended.wait() }
        #expect(released.bytes == 512)
        #expect(cache.releasableCost == 512)
    }

    @Test("one host counts the caches in its releasable bytes")
    func releasable() {
        let hosts = hosts(2)
        let controller = ViewController(host: hosts[1])
        controller.loadViewIfNeeded()
        controller.view.cost = 5
        #expect(hosts.map(\.releasableBytes) == [1024, 5])
        withExtendedLifetime(controller) {}
    }

    @Test("for the caches, pressure ends when the last host under pressure returns to normal or is destroyed (8.8)")
    func end() {
        var hosts = hosts(3)
        for host in hosts { host.deliver(kernel(.warning)) }
        _ = trace.take()
        hosts[0].deliver(kernel(.normal))
        hosts[0].simulateMemoryWarning()
        hosts[1].deliver(kernel(.normal))
        #expect(trace.take() == ["K.warning(rule)=256"], "a simulation ends nothing that is real")
        hosts.removeAll()
        #expect(trace.take() == ["K.end"])
    }

    @Test("pressure does not end for the caches while another host's callbacks of a raised level are under way (8.8)")
    func endDuringCallbacks() {
        let hosts = hosts(2)
        func warning(_ level: PressureLevel, _ round: UInt64) -> MemoryWarning {
            MemoryWarning(level: level, isSimulated: false, round: round)
        }
        let observer = hosts[0].onMemoryWarning { _ in
            hosts[1].deliver(warning(.critical, 1))
            hosts[1].deliver(warning(.normal, 2))
        }
        hosts[0].deliver(warning(.critical, 1))
        #expect(trace.take() == ["K.critical(rule)=922"])
        hosts[0].deliver(warning(.normal, 2))
        #expect(trace.take() == ["K.end"])
        withExtendedLifetime(observer) {}
    }

    @Test("views whose costs overflow do not prevent a host from reporting its releasable bytes")
    func overflow() {
        let host = hosts(1)[0]
        let controllers = (0..<3).map { _ in ViewController(host: host) }
        for controller in controllers {
            controller.loadViewIfNeeded()
            controller.view.cost = .max
        }
        #expect(host.releasableBytes == UInt64(Int.max) + 1024)
        #expect(host.simulateMemoryWarning().released >= UInt64(Int.max))
    }

    /// The bytes that two threads, which first wait for each other, release together.
    private final class Released: Sendable {
        private let arrived = Counter()
        private let sum = Guarded<UInt64>(0)

        var bytes: UInt64 { sum.withLock { $0 } }

        func meet() {
            arrived.increment()
            while arrived.value < 2 {}
        }

        func add(_ bytes: UInt64, keeping host: ControllerHost) {
            sum.withLock { $0 += bytes }
            // Pressure lasts until both threads have delivered.
            arrived.increment()
            while arrived.value < 4 {}
            withExtendedLifetime(host) {}
        }
    }
}
