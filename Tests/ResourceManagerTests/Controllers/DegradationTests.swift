import ResourceManager
import Testing

@Suite(.onTwoThreads)
struct DegradationTests {
    let stage = Stage()

    private func shown() -> (RecordingController, Window) {
        let a = stage.controller("A")
        a.view.cost = 100
        a.on["degrade"] = {
            $0.trace.record("degrade")
            $0.view.cost /= 2
        }
        a.on["recover"] = {
            $0.trace.record("recover")
            $0.view.cost = 100
        }
        return (a, stage.window(showing: a))
    }

    @Test("a view that stays on window is made smaller at each warning, which counts as released (4.19, row 58)")
    func degrade() {
        let (a, window) = shown()
        var release = MemoryRelease.none
        #expect(
            stage.events { release = stage.host.deliver(MemoryWarning(level: .warning, isSimulated: false)) } == [
                "A.didReceiveMemoryWarning", "degrade",
            ]
        )
        #expect(release.released == 50)
        #expect(a.isDegraded)
        #expect(stage.host.deliver(MemoryWarning(level: .critical, isSimulated: false)).released == 25)
        #expect(window.isVisible)
    }

    @Test("a controller that is still loading is not degraded, although the program has let it appear (3.14, 4.19)")
    func loading() {
        let a = stage.controller("A")
        var count = 0
        a.on["degrade"] = { _ in count += 1 }
        a.on["viewDidLoad"] = { a in
            a.beginAppearanceTransition(true)
            a.endAppearanceTransition()
            stage.host.simulateMemoryWarning()
        }
        a.loadViewIfNeeded()
        #expect(count == 0)
    }

    @Test(
        "a controller recovers from a broadcast in which a callback delivers the normal level (4.19)",
        arguments: [false, true]
    )
    func normalInBroadcast(isSimulated: Bool) {
        let (a, window) = shown()
        let last = stage.controller("Z")
        last.on["didReceiveMemoryWarning"] = { z in
            z.host.deliver(MemoryWarning(level: .normal, isSimulated: isSimulated))
        }
        stage.host.deliver(MemoryWarning(level: .warning, isSimulated: isSimulated))
        #expect(!a.isDegraded && a.view.cost == 100)
        // The later wish counts.
        last.on["didReceiveMemoryWarning"] = { z in
            z.on = [:]
            z.host.simulateMemoryWarning(.normal)
            z.host.simulateMemoryWarning()
        }
        stage.host.simulateMemoryWarning()
        #expect(a.isDegraded)
        stage.host.simulateMemoryWarning(.normal)
        #expect(!a.isDegraded && window.isVisible)
    }

    @Test("a simulated normal changes nothing while the level is raised (4.19)")
    func simulatedNormal() {
        let (a, window) = shown()
        stage.host.deliver(MemoryWarning(level: .warning, isSimulated: false))
        stage.host.simulateMemoryWarning(.normal)
        #expect(a.isDegraded && window.isVisible)
    }

    @Test("when the level is normal again, quality is restored once")
    func recover() {
        let (a, window) = shown()
        stage.host.deliver(MemoryWarning(level: .critical, isSimulated: false))
        #expect(stage.events { stage.host.deliver(MemoryWarning(level: .warning, isSimulated: false)) }.isEmpty)
        #expect(stage.events { stage.host.deliver(MemoryWarning(level: .normal, isSimulated: false)) } == ["recover"])
        #expect(!a.isDegraded)
        #expect(stage.events { stage.host.deliver(MemoryWarning(level: .normal, isSimulated: false)) }.isEmpty)
        #expect(window.isVisible)
    }

    @Test("a simulated normal level ends the effects of a simulated warning")
    func simulated() {
        let (_, window) = shown()
        stage.host.simulateMemoryWarning()
        #expect(stage.events { stage.host.simulateMemoryWarning(.normal) } == ["recover"])
        #expect(window.isVisible)
    }

    @Test("off window nothing is degraded: the view is unloaded instead")
    func offWindow() {
        let (a, window) = shown()
        window.hide()
        #expect(stage.warn() == ["A.didReceiveMemoryWarning", "A.viewWillUnload", "A.viewDidUnload"])
        #expect(!a.isDegraded)
    }
}
