import ResourceManager
import Testing

@Suite(.onTwoThreads)
struct MemoryWarningTests {
    @Test("an off-window view is unloaded, one on window stays (4.7, 4.9)")
    func unload() {
        let stage = Stage()
        let a = stage.controller("A")
        let b = stage.controller("B")
        _ = a.view
        let window = stage.window(showing: b)
        #expect(
            stage.warn() == [
                "A.didReceiveMemoryWarning", "A.viewWillUnload", "A.viewDidUnload", "B.didReceiveMemoryWarning",
            ]
        )
        #expect(b.view.window === window)
    }

    @Test("under the policy keep nothing is unloaded (4.12)")
    func keep() {
        let stage = Stage(policy: .keep)
        let a = stage.controller("A")
        _ = a.view
        #expect(stage.warn() == ["A.didReceiveMemoryWarning"])
        #expect(a.isViewLoaded)
    }

    @Test("an unloaded view is loaded again when it is needed (4.18)")
    func comesBack() {
        let stage = Stage()
        let a = stage.controller("A")
        let window = stage.window(showing: a)
        window.rootViewController = nil
        _ = stage.warn()
        #expect(
            stage.events { window.rootViewController = a } == [
                "A.loadView", "A.viewDidLoad", "A.viewWillAppear", "A.viewDidAppear",
            ]
        )
    }

    @Test("controllers are warned in the order of creation, each finished before the next (4.3, 4.10, 4.11)")
    func order() {
        let stage = Stage()
        let a = stage.controller("A")
        let b = stage.controller("B")
        let c = stage.controller("C")
        _ = (c.view, a.view)
        #expect(
            stage.warn() == [
                "A.didReceiveMemoryWarning", "A.viewWillUnload", "A.viewDidUnload", "B.didReceiveMemoryWarning",
                "C.didReceiveMemoryWarning", "C.viewWillUnload", "C.viewDidUnload",
            ]
        )
        #expect(!b.isViewLoaded)
    }

    @Test("offWindowOnly skips controllers on window (4.2)")
    func offWindowOnly() {
        let stage = Stage(delivery: .offWindowOnly)
        let a = stage.controller("A")
        let b = stage.controller("B")
        let x = stage.controller("X")
        _ = a.view
        let window = stage.window(showing: b)
        #expect(
            stage.warn() == [
                "A.didReceiveMemoryWarning", "A.viewWillUnload", "A.viewDidUnload", "X.didReceiveMemoryWarning",
            ]
        )
        #expect(window.isVisible && !x.isViewLoaded)
    }

    @Test("an override that does not call super keeps its view (4.6)")
    func withoutSuper() {
        let stage = Stage()
        let a = stage.controller("A")
        a.callsSuperAtWarning = false
        let b = stage.controller("B")
        _ = (a.view, b.view)
        #expect(
            stage.warn() == [
                "A.didReceiveMemoryWarning", "B.didReceiveMemoryWarning", "B.viewWillUnload", "B.viewDidUnload",
            ]
        )
        #expect(a.isViewLoaded)
    }

    @Test("a second warning finds nothing to unload (4.21)")
    func secondWarning() {
        let stage = Stage()
        let a = stage.controller("A")
        _ = a.view
        #expect(stage.warn().count == 3)
        #expect(stage.warn() == ["A.didReceiveMemoryWarning"])
        #expect(!a.isViewLoaded)
    }

    @Test("a controller that is created meanwhile is not included, and a destroyed one is skipped (4.4)")
    func bornAndDeadMeanwhile() {
        let stage = Stage()
        var born: RecordingController?
        var doomed: RecordingController?
        let a = stage.controller(
            "A",
            on: [
                "didReceiveMemoryWarning": { a in
                    born = born ?? RecordingController("X", host: a.host, trace: a.trace)
                    doomed = nil
                }
            ]
        )
        doomed = stage.controller("B")
        let c = stage.controller("C")
        #expect(
            stage.warn() == ["A.didReceiveMemoryWarning", "X.init", "B.deinit", "C.didReceiveMemoryWarning"]
        )
        #expect(
            stage.warn() == ["A.didReceiveMemoryWarning", "C.didReceiveMemoryWarning", "X.didReceiveMemoryWarning"]
        )
        #expect(doomed == nil && born?.host === a.host && c.host === a.host)
    }

    @Test("a view that was assigned stays, unless loadView can replace it (4.8)")
    func handedIn() {
        let stage = Stage()
        let a = stage.controller("A")
        a.view = View()
        let b = stage.controller("B", loadView: .assigns)
        b.view = View()
        #expect(
            stage.warn() == [
                "A.didReceiveMemoryWarning", "B.didReceiveMemoryWarning", "B.viewWillUnload", "B.viewDidUnload",
            ]
        )
        #expect(a.isViewLoaded)
    }

    @Test("in viewWillUnload the view is loaded, in viewDidUnload it is not (4.25)")
    func loadedAtUnload() {
        let stage = Stage()
        let a = stage.controller("A")
        a.annotation = { "[loaded=\($0.isViewLoaded ? "yes" : "no")]" }
        _ = a.view
        #expect(
            stage.warn() == [
                "A.didReceiveMemoryWarning[loaded=yes]", "A.viewWillUnload[loaded=yes]", "A.viewDidUnload[loaded=no]",
            ]
        )
    }

    @Test("the view is freed before viewDidUnload")
    func freedBeforeViewDidUnload() {
        let stage = Stage()
        weak var view: View?
        let a = stage.controller("A", on: ["viewDidUnload": { _ in #expect(view == nil) }])
        view = a.view
        #expect(view != nil)
        #expect(stage.warn().last == "A.viewDidUnload")
    }

    @Test("a warning during a load unloads nothing (2.18)", arguments: ["loadView", "viewDidLoad"])
    func duringLoad(callback: String) {
        let stage = Stage()
        let a = stage.controller("A", on: [callback: { $0.host.simulateMemoryWarning() }])
        let events = stage.events { _ = a.view }
        #expect(events.contains("A.didReceiveMemoryWarning"))
        #expect(!events.contains("A.viewWillUnload"))
        #expect(a.isViewLoaded)
    }

    @Test("a warning during a transition does not unload (4.24)")
    func duringTransition() {
        let stage = Stage()
        let a = stage.controller("A")
        a.beginAppearanceTransition(true)
        #expect(stage.warn() == ["A.didReceiveMemoryWarning"])
        a.endAppearanceTransition()
        a.beginAppearanceTransition(false)
        #expect(stage.warn() == ["A.didReceiveMemoryWarning"])
        a.endAppearanceTransition()
        #expect(stage.warn() == ["A.didReceiveMemoryWarning", "A.viewWillUnload", "A.viewDidUnload"])
    }

    @Test("a warning in viewDidDisappear finds the controller disappeared, and unloads it (4.8)")
    func inViewDidDisappear() {
        let stage = Stage()
        let a = stage.controller("A", on: ["viewDidDisappear": { $0.host.simulateMemoryWarning() }])
        let window = stage.window(showing: a)
        #expect(
            stage.events { window.rootViewController = nil } == [
                "A.viewWillDisappear", "A.viewDidDisappear", "A.didReceiveMemoryWarning", "A.viewWillUnload",
                "A.viewDidUnload",
            ]
        )
    }

    @Test("reading the view after super has unloaded it loads it again at once (4.16)")
    func readingAfterSuper() {
        let stage = Stage()
        let a = stage.controller("A", on: ["didReceiveMemoryWarning": { _ = $0.view }])
        _ = a.view
        #expect(
            stage.warn() == [
                "A.didReceiveMemoryWarning", "A.viewWillUnload", "A.viewDidUnload", "A.loadView", "A.viewDidLoad",
            ]
        )
    }

    @Test("the idiom that reads view.window loads an unloaded view, only to discard it (4.15)")
    func naiveIdiom() {
        let stage = Stage(policy: .keep)
        let a = stage.controller(
            "A",
            on: ["didReceiveMemoryWarning": { if $0.view.window == nil { $0.view = nil } }]
        )
        #expect(stage.warn() == ["A.didReceiveMemoryWarning", "A.loadView", "A.viewDidLoad"])
        #expect(!a.isViewLoaded)
    }

    @Test("releaseViewIfOffWindow releases a view off window, loads nothing, and counts (4.14)")
    func releaseViewIfOffWindow() {
        let stage = Stage(policy: .keep)
        let release: (RecordingController) -> Void = { $0.releaseViewIfOffWindow() }
        let a = stage.controller("A", on: ["didReceiveMemoryWarning": release])
        let b = stage.controller("B", on: ["didReceiveMemoryWarning": release])
        let c = stage.controller("C", on: ["didReceiveMemoryWarning": release])
        let d = stage.controller("D", on: ["didReceiveMemoryWarning": release])
        a.view.cost = 100
        let window = stage.window(showing: b)
        d.beginAppearanceTransition(true)
        #expect(stage.host.simulateMemoryWarning().released == 100)
        #expect(!a.isViewLoaded)
        #expect(b.view.window === window)
        #expect(!c.isViewLoaded)
        #expect(d.isViewLoaded, "it is appearing")
        d.endAppearanceTransition()
    }

    @Test("didReceiveMemoryWarning, called on one controller, affects only that controller (4.23)")
    func oneControllerOnly() {
        let stage = Stage()
        let a = stage.controller("A")
        let b = stage.controller("B")
        _ = (a.view, b.view)
        #expect(
            stage.events { b.didReceiveMemoryWarning() } == [
                "B.didReceiveMemoryWarning", "B.viewWillUnload", "B.viewDidUnload",
            ]
        )
        #expect(a.isViewLoaded)
    }
}
