import Testing

@testable import ResourceManager

@Suite(.onTwoThreads)
struct EnvironmentTests {
    let stage = Stage()

    private let small = Environment(memoryLimit: 100 << 20, cores: 1)

    @Test("the whole tree is notified of a change, parents first, and laid out between will and did (5.34)")
    func change() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let p = stage.controller("P")
        p.addChild(a)
        p.addChild(b)
        p.view.addSubview(a.view)
        p.recordsLayout = true
        let window = stage.window(showing: p)
        p.on["willTransition(drained)"] = { #expect($0.environment.mode == .normal) }
        p.on["didTransition(drained)"] = { #expect($0.environment.mode == "drained") }
        #expect(
            stage.events { window.changeMode(to: "drained") } == [
                "P.willTransition(drained)", "A.willTransition(drained)", "B.willTransition(drained)",
                "P.viewWillLayoutSubviews", "P.viewDidLayoutSubviews",
                "P.didTransition(drained)", "A.didTransition(drained)", "B.didTransition(drained)",
            ]
        )
        #expect(!b.isViewLoaded)
        #expect(b.environment.mode == "drained")
    }

    @Test("one controller that does not support a change refuses it for all; a changed limit is not refused (5.35)")
    func veto() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        a.addChild(b)
        b.supportedModes = [.normal]
        let window = stage.window(showing: a)
        #expect(stage.events { window.changeMode(to: "maintenance") } == ["fault:environmentRefused"])
        #expect(a.environment.mode == .normal)
        var drained = window.environment
        drained.mode = "maintenance"
        window.changeEnvironment(to: drained, isVetoable: false)
        #expect(b.environment.mode == "maintenance")
    }

    @Test("a change that a callback of another one makes is the later wish (3.24)", arguments: ["will", "did"])
    func changedMeanwhile(callback: String) {
        let a = stage.controller("A")
        let window = stage.window(showing: a)
        a.on["\(callback)Transition(x)"] = { [unowned window] _ in window.changeMode(to: "y") }
        #expect(window.changeMode(to: "x"))
        #expect(window.environment.mode == "y")
    }

    @Test("a change that a controller makes when it is asked whether it supports another one is the later wish (3.24)")
    func changedInQuestion() {
        final class Asked: ViewController {
            override func supports(_ environment: Environment) -> Bool {
                if environment.mode == "x" { servingWindow?.changeMode(to: "y") }
                return true
            }
        }
        let window = stage.window(showing: Asked(host: stage.host))
        #expect(window.changeMode(to: "x"))
        #expect(window.environment.mode == "y")
    }

    @Test("presented controllers are notified after the tree below them")
    func presented() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let window = stage.window(showing: a)
        a.present(b, style: .overlay)
        #expect(
            stage.events { window.changeMode(to: "x") } == [
                "A.willTransition(x)", "B.willTransition(x)", "A.didTransition(x)", "B.didTransition(x)",
            ]
        )
    }

    @Test("a window's controllers have the environment of its root, shown or not; all others that of the host (5.36)")
    func oneTruth() {
        let a = stage.controller("A")
        let b = stage.controller("B")
        let x = stage.controller("X")
        a.addChild(b)
        let window = Window(host: stage.host)
        window.rootViewController = a
        window.changeEnvironment(to: small)
        #expect(b.environment == small)
        #expect(x.environment == stage.host.environment)
        window.rootViewController = nil
        #expect(b.environment == stage.host.environment)
    }

    @Test("memory classes and conditions determine where a variant applies")
    func conditions() {
        #expect(small.memoryClass == .small)
        #expect(Environment(memoryLimit: 512 << 20, cores: 1).memoryClass == .medium)
        #expect(Environment(memoryLimit: 4 << 30, cores: 1).memoryClass == .large)
        #expect(EnvironmentCondition().holds(in: small))
        #expect(EnvironmentCondition(memoryClass: .small, minimumCores: 1).holds(in: small))
        #expect(!EnvironmentCondition(minimumCores: 2).holds(in: small))
        #expect(!EnvironmentCondition(mode: "other").holds(in: small))
        #expect(!EnvironmentCondition(isDegraded: true).holds(in: small))
    }
}
