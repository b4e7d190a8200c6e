import CLinux
import TestSupport
import Testing

@testable import ResourceCaches
@testable import ResourceManager

@Suite(.onTwoThreads)
struct DeliveryTests {
    private final class Delegate: ControllerHostDelegate {
        let trace: Trace

        init(_ trace: Trace) {
            self.trace = trace
        }

        func controllerHost(_ host: ControllerHost, didReceiveMemoryWarning warning: MemoryWarning) {
            trace.record("host.applicationDidReceiveMemoryWarning")
        }
    }

    let stage = Stage()

    private func real(_ level: PressureLevel) -> MemoryWarning {
        MemoryWarning(level: level, reason: PressureReason(.someStall), isSimulated: false)
    }

    private func levelHandler() -> Registration {
        stage.host.onLevelChange { [trace = stage.trace] in trace.record("H.pressure(\($0))") }
    }

    @Test("a warning reaches delegate, controllers, observers in order of registration, caches, handlers (4.3, 8.3)")
    func order() {
        let dropped = Counter()
        let cache = stage.reclaimer.use { ResourceCache<Int, LastWords>("K") }
        cache.insert(LastWords { dropped.increment() }, for: 1)
        let delegate = Delegate(stage.trace)
        stage.host.delegate = delegate
        let handler = stage.host.onLevelChange { [trace = stage.trace] level in
            #expect(dropped.value == 1, "caches come before handlers")
            trace.record("H.pressure(\(level))")
        }
        let first = stage.host.onMemoryWarning { [trace = stage.trace] _ in
            #expect(dropped.value == 0, "caches come after observers")
            trace.record("O1.memoryWarningNotification")
        }
        let second = stage.host.onMemoryWarning { [trace = stage.trace] warning in
            trace.record("O2.memoryWarningNotification(\(warning.level))")
        }
        let a = stage.controller("A")
        let b = stage.controller("B")
        _ = a.view
        #expect(
            stage.events { stage.host.deliver(real(.critical)) } == [
                "host.applicationDidReceiveMemoryWarning", "A.didReceiveMemoryWarning", "A.viewWillUnload",
                "A.viewDidUnload", "B.didReceiveMemoryWarning", "O1.memoryWarningNotification",
                "O2.memoryWarningNotification(critical)", "H.pressure(critical)",
            ]
        )
        withExtendedLifetime((delegate, handler, first, second, b)) {}
    }

    @Test("an observer of deliveries receives each broadcast and its outcome, as the last; it receives no fall")
    func outcome() {
        let watcher = stage.host.onDelivery { [trace = stage.trace] warning, release in
            trace.record("D.\(warning.level) \(release.released)")
        }
        let handler = levelHandler()
        let a = stage.controller("A")
        a.view.cost = 3
        _ = stage.trace.take()
        let events = stage.events { stage.host.deliver(real(.warning)) }
        #expect(events.suffix(2) == ["H.pressure(warning)", "D.warning 3"])
        #expect(stage.events { stage.host.deliver(real(.normal)) } == ["H.pressure(normal)"])
        withExtendedLifetime((watcher, handler)) {}
    }

    @Test("a warning frees the memory of controllers that have ended, also of those that end in it")
    func ended() {
        let a = stage.controller("A")
        var b: ViewController? = ViewController(host: stage.host)
        for _ in 0..<20 { _ = ViewController(host: stage.host) }
        #expect(stage.host.controllers.count == 22)
        let registration = stage.host.onMemoryWarning { _ in b = nil }
        stage.host.simulateMemoryWarning()
        #expect(stage.host.controllers.count == 1)
        #expect(b == nil)
        withExtendedLifetime((a, registration)) {}
    }

    @Test("a rise is broadcast and announced, a fall announced; an equal level only as a repetition (8.3, 8.4)")
    func levels() {
        let a = stage.controller("A")
        let handler = levelHandler()
        let steps: [(level: PressureLevel, isRepeat: Bool, expected: [String])] = [
            (.normal, false, []),
            (.warning, false, ["A.didReceiveMemoryWarning", "H.pressure(warning)"]),
            (.warning, false, []),
            (.warning, true, ["A.didReceiveMemoryWarning"]),
            (.critical, false, ["A.didReceiveMemoryWarning", "H.pressure(critical)"]),
            (.warning, true, ["H.pressure(warning)"]),
            (.critical, false, ["A.didReceiveMemoryWarning", "H.pressure(critical)"]),
            (.normal, false, ["H.pressure(normal)"]),
            (.normal, true, []),
        ]
        for (level, isRepeat, expected) in steps {
            let warning = MemoryWarning(level: level, isSimulated: false, isRepeat: isRepeat)
            #expect(stage.events { stage.host.deliver(warning) } == expected)
            #expect(stage.host.level == level)
        }
        withExtendedLifetime((a, handler)) {}
    }

    @Test("a daemon's round is broadcast even if another scope has raised the level before; a fall is not (8.4)")
    func rounds() {
        let a = stage.controller("A")
        func round(_ number: UInt64, _ level: PressureLevel) -> [String] {
            stage.events { stage.host.deliver(MemoryWarning(level: level, isSimulated: false, round: number)) }
        }
        #expect(round(1, .warning) == ["A.didReceiveMemoryWarning"])
        #expect(round(2, .warning) == ["A.didReceiveMemoryWarning"])
        #expect(round(3, .critical) == ["A.didReceiveMemoryWarning"])
        #expect(round(4, .warning).isEmpty)
        withExtendedLifetime(a) {}
    }

    @Test("a simulation is broadcast and does not change the level; the next real change is reported as usual (8.6)")
    func simulation() {
        let a = stage.controller("A")
        let handler = levelHandler()
        _ = a.view
        #expect(
            stage.events {
                stage.host.simulateMemoryWarning(.critical)
                stage.host.simulateMemoryWarning(.normal)
                stage.host.deliver(real(.warning))
            } == [
                "A.didReceiveMemoryWarning", "A.viewWillUnload", "A.viewDidUnload",
                "A.didReceiveMemoryWarning", "H.pressure(warning)",
            ]
        )
        #expect(stage.host.level == .warning)
        withExtendedLifetime(handler) {}
    }

    @Test("bytes that observers drop at a warning count as released (4.26, row 57)")
    func droppable() {
        var buffer = [UInt8](repeating: 0, count: 500)
        let registration = stage.host.onMemoryRelease { warning in
            guard warning.level == .critical else { return 0 }
            defer { buffer = [] }
            return buffer.count
        }
        #expect(stage.host.simulateMemoryWarning().released == 0)
        #expect(stage.host.simulateMemoryWarning(.critical).released == 500)
        #expect(buffer.isEmpty)
        registration.cancel()
    }

    @Test("only callbacks of a delivery can read the warning under delivery")
    func currentWarning() {
        let a = stage.controller(
            "A",
            on: ["didReceiveMemoryWarning": { #expect($0.host.currentWarning?.level == .critical) }]
        )
        #expect(stage.host.currentWarning == nil)
        #expect(stage.events { stage.host.simulateMemoryWarning(.critical) } == ["A.didReceiveMemoryWarning"])
        #expect(stage.host.currentWarning == nil)
        withExtendedLifetime(a) {}
    }

    @Test("broadcasts do not nest: all requests make one follow-up, and that makes none (4.22)")
    func nested() {
        let a = stage.controller("A")
        a.on["didReceiveMemoryWarning"] = { a in
            a.trace.record(a.host.currentWarning?.level.description ?? "none")
            #expect(a.host.simulateMemoryWarning() == .none)
            #expect(a.host.simulateMemoryWarning(.critical) == .none)
            let nothing = MemoryRelease(released: 0, residentBefore: 0, residentAfter: 0, duration: .zero)
            #expect(a.host.simulateMemoryWarning() == nothing)
        }
        let b = stage.controller("B")
        b.view.cost = 7
        var release = MemoryRelease.none
        #expect(
            stage.events { release = stage.host.simulateMemoryWarning() } == [
                "A.didReceiveMemoryWarning", "warning",
                "B.didReceiveMemoryWarning", "B.viewWillUnload", "B.viewDidUnload",
                "A.didReceiveMemoryWarning", "critical", "B.didReceiveMemoryWarning",
            ]
        )
        #expect(release.released == 7)
        a.on = [:]
        let once = ["A.didReceiveMemoryWarning", "B.didReceiveMemoryWarning"]
        #expect(stage.warn() == once, "the next one starts afresh")
    }

    @Test("of the requests inside a broadcast the most urgent is followed, and the last of equal ones (4.22)")
    func lastRequest() {
        func request(_ level: PressureLevel, _ bytes: UInt64) -> MemoryWarning {
            MemoryWarning(level: level, bytesWanted: bytes)
        }
        let requests = [request(.critical, 1), request(.critical, 2), request(.warning, 3)]
        let a = stage.controller("A")
        a.on["didReceiveMemoryWarning"] = { a in for request in requests { a.host.deliver(request) } }
        var heard: [UInt64] = []
        let observer = stage.host.onMemoryWarning { heard.append($0.bytesWanted) }
        stage.host.simulateMemoryWarning()
        #expect(heard == [0, 2])
        withExtendedLifetime((a, observer)) {}
    }

    @Test("a level that a handler changes is announced with the next delivery")
    func levelInHandler() {
        var levels: [PressureLevel] = []
        let handler = stage.host.onLevelChange { [unowned host = stage.host, normal = real(.normal)] level in
            levels.append(level)
            if levels.count == 1 { host.deliver(normal) }
        }
        stage.host.deliver(real(.warning))
        stage.host.deliver(real(.normal))
        #expect(levels == [.warning, .normal])
        withExtendedLifetime(handler) {}
    }

    @Test("a level that changes inside a broadcast is announced after it")
    func nestedLevel() {
        let a = stage.controller("A")
        a.on["didReceiveMemoryWarning"] = { a in
            a.host.deliver(real(a.host.level == .warning ? .critical : .normal))
        }
        let handler = levelHandler()
        #expect(
            stage.events { stage.host.deliver(real(.warning)) } == [
                "A.didReceiveMemoryWarning", "H.pressure(critical)", "A.didReceiveMemoryWarning", "H.pressure(normal)",
            ]
        )
        #expect(stage.host.level == .normal)
        withExtendedLifetime(handler) {}
    }

    @Test("a handler that requests a broadcast gets one")
    func broadcastFromHandler() {
        let a = stage.controller("A")
        stage.host.deliver(real(.warning))
        let handler = stage.host.onLevelChange { [unowned host = stage.host] _ in host.simulateMemoryWarning() }
        var release = MemoryRelease.none
        #expect(stage.events { release = stage.host.deliver(real(.normal)) } == ["A.didReceiveMemoryWarning"])
        #expect(release != .none)
        withExtendedLifetime((a, handler)) {}
    }

    @Test("a registration ends when it is cancelled or dropped, even during a broadcast")
    func registrations() {
        var dropped: Registration?
        let first = stage.host.onMemoryWarning { [trace = stage.trace] _ in
            trace.record("1")
            dropped = nil
        }
        dropped = stage.host.onMemoryWarning { [trace = stage.trace] _ in trace.record("2") }
        let third = stage.host.onMemoryWarning { [trace = stage.trace] _ in trace.record("3") }
        #expect(stage.warn() == ["1", "3"])
        third.cancel()
        third.cancel()
        #expect(stage.warn() == ["1"])
        withExtendedLifetime((first, dropped)) {}
    }

    @Test("a registration may outlive its host")
    func registrationOutlivesHost() {
        var host: ControllerHost? = ControllerHost("short")
        weak let gone = host
        let registration = host?.onMemoryWarning { _ in }
        host = nil
        registration?.cancel()
        #expect(gone == nil)
    }

    @Test("the release is the sum of dropped trees and cache bytes, without bytes that other owners keep")
    func ownCount() {
        let cache = stage.reclaimer.use { ResourceCache<Int, Int>("K") }
        cache.insert(1, for: 1, cost: 1000)
        let p = stage.controller("P")
        let c = stage.controller("C")
        let kept = stage.controller("X")
        p.addChild(c)
        p.view.cost = 1
        p.view.addSubview(c.view)
        c.view.cost = 10
        let inner = View()
        inner.cost = 100
        p.view.addSubview(inner)
        kept.view = View()
        kept.view.cost = 100_000
        inner.addSubview(kept.view)
        let release = stage.host.simulateMemoryWarning(.critical)
        #expect(release.released == 1111)
        #expect(release.residentBefore > 0)
        #expect(release.residentAfter > 0)
        #expect(release.duration > .zero)
        #expect(kept.isViewLoaded)
        #expect(cache.count == 0)
    }

    @Test("if the resident set cannot be measured after a warning, no fall is reported")
    func noDescriptor() async {
        // A process of its own, which opens no file from the broadcast on.
        await #expect(processExitsWith: .success) {
            let host = ControllerHost("H")
            let registration = host.onMemoryWarning { _ in
                var none = rlimit(rlim_cur: 0, rlim_max: 0)
                if setrlimit(CInt(RLIMIT_NOFILE.rawValue), &none) != 0 { exit(1) }
            }
            let release = host.simulateMemoryWarning()
            registration.cancel()
            exit(release.residentBefore > 0 && release.residentAfter == release.residentBefore ? 0 : 2)
        }
    }

    @Test("caches are asked for bytes that controllers have not released, and are told of the end once it is announced")
    func caches() {
        let trace = SharedTrace()
        let cache = FakeResponder("K", trace, bytes: 100)
        stage.reclaimer.register(cache)
        let a = stage.controller("A")
        a.view.cost = 30
        var warning = real(.warning)
        warning.bytesWanted = 50
        #expect(stage.host.deliver(warning).released == 50)
        #expect(trace.take() == ["K.warning(20)=20"])
        stage.host.simulateMemoryWarning()
        #expect(trace.take() == ["K.warning(rule)=40"], "a simulation does not end what is real")
        stage.host.deliver(real(.critical))
        #expect(trace.take() == ["K.critical(rule)=36"])
        stage.host.deliver(real(.warning))
        #expect(trace.take() == [])
        stage.host.deliver(real(.normal))
        #expect(trace.take() == ["K.end"])
        stage.host.deliver(real(.normal))
        #expect(trace.take() == [])
    }

    @Test("a simulation ends for caches at once, and so does pressure that ends before its broadcast does")
    func cachesRecoverAtOnce() {
        let trace = SharedTrace()
        let cache = FakeResponder("K", trace, bytes: 100)
        stage.reclaimer.register(cache)
        stage.host.simulateMemoryWarning()
        #expect(trace.take() == ["K.warning(rule)=50", "K.end"])
        let observer = stage.host.onMemoryWarning { [unowned host = stage.host, normal = real(.normal)] _ in
            host.deliver(normal)
        }
        stage.host.deliver(real(.warning))
        #expect(trace.take() == ["K.warning(rule)=25", "K.end"])
        withExtendedLifetime(observer) {}
    }

    @Test("nested views count once in the releasable bytes, and views on window do not count")
    func releasable() {
        let p = stage.controller("P")
        let c = stage.controller("C")
        p.addChild(c)
        p.view.cost = 5
        c.view.cost = 3
        p.view.addSubview(c.view)
        #expect(stage.host.releasableBytes == 8)
        let window = stage.window(showing: p)
        #expect(stage.host.releasableBytes == 0)
        c.view.removeFromSuperview()
        #expect(stage.host.releasableBytes == 3)
        #expect(window.isVisible)
    }

    @Test("memory that grows at a warning is not subtracted from the release")
    func growth() {
        let a = stage.controller("A", on: ["degrade": { $0.view.cost += 7 }])
        let window = stage.window(showing: a)
        #expect(stage.host.simulateMemoryWarning().released == 0)
        let b = stage.controller("B")
        b.view.cost = 5
        #expect(stage.host.simulateMemoryWarning().released == 5)
        #expect(window.isVisible)
    }

    @Test("after a restart the daemon's first rounds are handled, although they have old numbers (8.8)")
    func daemonStartsAnew() {
        let trace = SharedTrace()
        let cache = FakeResponder("K", trace, bytes: 512)
        stage.reclaimer.register(cache)
        for released in [256, 128] as [UInt64] {
            stage.host.change(to: .daemon(socket: "/a"))
            let round = MemoryWarning(level: .warning, isSimulated: false, round: 1)
            #expect(stage.host.deliver(round).released == released)
            stage.host.deliver(real(.normal))
            stage.host.change(to: .none)
        }
    }

    @Test("bytes that are released without a warning do not count in the next warning")
    func noStaleCount() {
        let a = stage.controller("A")
        a.view.cost = 5
        a.view = nil
        #expect(stage.host.simulateMemoryWarning().released == 0)
    }

    @Test("the list does not grow while a thousand controllers are created and destroyed")
    func listIsSwept() {
        let kept = stage.controller("A")
        for index in 0..<1000 { _ = RecordingController("\(index)", host: stage.host, trace: stage.trace) }
        #expect(stage.host.controllers.count <= 33)
        #expect(stage.warn() == ["A.didReceiveMemoryWarning"])
        withExtendedLifetime(kept) {}
    }
}
