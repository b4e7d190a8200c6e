import Testing

@testable import ResourceManager

/// A working set whose children's callbacks use and remove children (rule 5.43).
@Suite(.onTwoThreads)
struct WorkingSetCallbackTests {
    private typealias Set = WorkingSetController<String, RecordingController>

    let stage = Stage()

    private func shown(limit: Int = .max) -> (set: Set, window: Window) {
        let set = Set(host: stage.host, limit: limit)
        return (set, stage.window(showing: set))
    }

    /// A shown working set whose children may be containers.
    private func shownOfAny() -> (set: WorkingSetController<Int, ViewController>, window: Window) {
        let set = WorkingSetController<Int, ViewController>(host: stage.host)
        return (set, stage.window(showing: set))
    }

    @discardableResult
    private func use(
        _ name: String,
        in set: Set,
        on: [String: (RecordingController) -> Void] = [:]
    ) -> RecordingController {
        set.child(for: name) { stage.controller(name, on: on) }
    }

    private func name(_ child: ViewController) -> String { (child as? RecordingController)?.name ?? "" }

    private func onWindow(_ set: Set) -> [String] {
        set.children.filter { $0.viewIfLoaded?.window != nil }.map(name).sorted()
    }

    private func inService(_ set: Set) -> [String] { set.childrenInService.map(name).sorted() }

    @Test(
        "a child that uses another one while it comes into service makes place for it and leaves again",
        arguments: ["loadView", "viewDidLoad", "viewWillAppear", "viewDidAppear"]
    )
    func usesAnother(callback: String) {
        let (set, window) = shown(limit: 1)
        let b = stage.controller("B")
        let a = stage.controller("A", on: [callback: { [unowned set] _ in _ = set.child(for: "B") { b } }])
        let events = stage.events { _ = set.child(for: "A") { a } }
        #expect(set.childrenInService.map(\.name) == ["B"])
        #expect(set.childrenInService.allSatisfy { $0.viewIfLoaded?.window === window })
        #expect(set.childIfPresent(for: "A")?.viewIfLoaded?.window == nil)
        #expect(
            events.filter { $0 == "A.viewDidAppear" }.count == events.filter { $0 == "A.viewDidDisappear" }.count
        )
        #expect(stage.warn().contains("A.viewDidUnload"))
    }

    @Test(
        "a child that is used again while it leaves stays, and the other child leaves",
        arguments: ["viewWillDisappear", "viewDidDisappear"]
    )
    func usedWhileLeaving(callback: String) {
        let (set, window) = shown(limit: 1)
        let a = use("A", in: set, on: [callback: { [unowned set] _ in use("A", in: set) }])
        let events = stage.events { use("B", in: set) }
        #expect(set.childrenInService.map(\.name) == ["A"])
        #expect(a.viewIfLoaded?.window === window)
        #expect(a.appearance.phase == .appeared)
        #expect(events.last == "A.viewDidAppear")
        #expect(!events.contains("B.viewWillAppear"))
    }

    @Test("a child that uses itself while it loads is laid out once, before it has appeared (3.4, 5.43)")
    func usesItself() {
        let (set, window) = shown()
        let a = stage.controller("A")
        a.recordsLayout = true
        for callback in ["loadView", "viewDidLoad"] {
            a.on[callback] = { [unowned set] a in _ = set.child(for: "A") { a } }
        }
        #expect(
            stage.events { _ = set.child(for: "A") { a } }.filter { $0.hasPrefix("A.view") } == [
                "A.viewDidLoad", "A.viewWillAppear", "A.viewWillLayoutSubviews", "A.viewDidLayoutSubviews",
                "A.viewDidAppear",
            ]
        )
        #expect(a.view.window === window)
    }

    @Test("children that use each other by turns end with no more of them in service than the limit (3.25)")
    func turns() {
        let (set, window) = shown(limit: 1)
        let pair = [("A", "B"), ("B", "A")]
        for (name, other) in pair {
            use(name, in: set, on: ["viewWillAppear": { [unowned set] _ in use(other, in: set) }])
        }
        #expect(onWindow(set) == inService(set))
        #expect(onWindow(set).count == 1)
        window.hide()
        window.makeVisible()
        #expect(onWindow(set) == inService(set))
        #expect(onWindow(set).count == 1)
    }

    @Test("a make closure that uses its own key adds one child, and returns it")
    func ownKey() {
        let (set, window) = shown(limit: 1)
        var inner: RecordingController?
        let child = set.child(for: "A") {
            inner = use("A", in: set)
            return stage.controller("outer")
        }
        #expect(child === inner)
        #expect(set.children.map(name) == ["A"])
        set.removeChild(for: "A")
        #expect(set.children.isEmpty)
        withExtendedLifetime(window) {}
    }

    @Test("a controller that cannot be a child is a fault, and stays unchanged (5.42)")
    func refused() {
        let set = WorkingSetController<String, ViewController>(host: stage.host)
        let window = stage.window(showing: set)
        let root = stage.controller("R")
        let other = stage.window(showing: root)
        for refused in [root, set] {
            let place = refused.view.superview
            #expect(stage.events { _ = set.child(for: "A") { refused } } == ["fault:hierarchyInconsistency"])
            #expect(refused.view.superview === place)
        }
        #expect(set.children.isEmpty && set.childrenInService.isEmpty)
        #expect(set.childIfPresent(for: "A") == nil)
        #expect(other.rootViewController === root)
        withExtendedLifetime(window) {}
    }

    @Test("a child has one key")
    func twoKeys() {
        let (set, window) = shown()
        let a = use("A", in: set)
        #expect(stage.events { _ = set.child(for: "B") { a } } == ["fault:hierarchyInconsistency"])
        #expect(set.childIfPresent(for: "B") == nil)
        #expect(set.childrenInService.map(\.name) == ["A"])
        withExtendedLifetime(window) {}
    }

    @Test("a child that shows the working set when it is added appears with it (5.2)")
    func showsSet() {
        let window = Window(host: stage.host)
        let set = WorkingSetController<Int, Moving>(host: stage.host)
        let child = set.child(for: 1) {
            let child = Moving("A", host: stage.host, trace: stage.trace)
            child.willMove = { [unowned set] _ in
                window.rootViewController = set
                window.makeVisible()
            }
            return child
        }
        #expect(child.appearance.phase == .appeared)
        #expect(stage.trace.take().suffix(2) == ["A.viewWillAppear", "A.viewDidAppear"])
        #expect(stage.events { window.hide() } == ["A.viewWillDisappear", "A.viewDidDisappear"])
    }

    @Test("a child that another owner takes while it is added is a fault, and has no key (3.24)")
    func takenWhileAdded() {
        let set = WorkingSetController<Int, Moving>(host: stage.host)
        let window = stage.window(showing: set)
        let stack = NavigationController(host: stage.host)
        let child = Moving("A", host: stage.host, trace: stage.trace)
        child.willMove = { child in
            child.willMove = { _ in }
            stack.push(child)
        }
        #expect(stage.events { _ = set.child(for: 1) { child } }.last == "fault:hierarchyInconsistency")
        #expect(child.parent === stack)
        #expect(set.childIfPresent(for: 1) == nil)
        #expect(window.isVisible)
    }

    @Test("a child that another parent takes leaves the working set's view, with its callbacks")
    func taken() {
        let (set, window) = shown()
        let a = use("A", in: set)
        let other = stage.controller("other")
        let events = stage.events { other.addChild(a) }
        #expect(events.filter { $0.contains("isappear") } == ["A.viewWillDisappear", "A.viewDidDisappear"])
        #expect(a.view.superview == nil)
        #expect(set.childrenInService.isEmpty)
        withExtendedLifetime(window) {}
    }

    @Test("a child from another parent's view comes into service, with one pair of callbacks out and one pair in")
    func takes() {
        let (set, window) = shown()
        let p = stage.controller("P")
        let a = stage.controller("A")
        p.addChild(a)
        p.view.addSubview(a.view)
        let other = stage.window(showing: p)
        _ = set.child(for: "A") { a }
        #expect(a.view.window === window)
        #expect(a.appearance.phase == .appeared)
        #expect(stage.events { other.hide() } == ["P.viewWillDisappear", "P.viewDidDisappear"])
    }

    @Test("a callback of a removed child may add a child with the same key")
    func addedWhileRemoved() {
        let (set, window) = shown()
        let first = use("A", in: set, on: ["viewWillDisappear": { [unowned set] _ in use("A", in: set) }])
        set.removeChild(for: "A")
        #expect(first.parent == nil)
        #expect(set.childIfPresent(for: "A") !== first)
        #expect(set.childrenInService.allSatisfy { $0.viewIfLoaded?.window === window })
        #expect(set.children.count == 1)
    }

    @Test("all children in service appear with the working set, however many they are (3.25)")
    func many() {
        let set = WorkingSetController<Int, ViewController>(host: stage.host)
        for key in 0..<1100 { _ = set.child(for: key) { ViewController(host: stage.host) } }
        let window = stage.window(showing: set)
        #expect(set.childrenInService.allSatisfy { $0.viewIfLoaded?.window === window })
    }

    @Test("a child that another child takes while it comes into service stays in that child (3.24)")
    func takenByAnother() {
        let (set, window) = shownOfAny()
        let tabs = TabController(host: stage.host)
        _ = set.child(for: 1) { tabs }
        let child = stage.controller("C", on: ["viewDidLoad": { [unowned tabs] in tabs.setViewControllers([$0]) }])
        _ = set.child(for: 2) { child }
        #expect(tabs.selectedViewController === child)
        #expect(child.viewIfLoaded?.window === window)
        #expect(set.childrenInService.count == 1 && set.childrenInService.first === tabs)
    }

    @Test("a child that another child takes while it is removed stays in that child (3.24)")
    func takenWhileRemoved() {
        let (set, window) = shownOfAny()
        let stack = NavigationController(host: stage.host)
        _ = set.child(for: 1) { stack }
        let child = stage.controller("C", on: ["viewWillDisappear": { [unowned stack] in stack.push($0) }])
        _ = set.child(for: 2) { child }
        set.removeChild(for: 2)
        #expect(stack.topViewController === child)
        #expect(child.viewIfLoaded?.window === window)
        #expect(child.appearance.phase == .appeared)
    }

    @Test("a child that loads its working set while it loads itself is put in afterwards (5.43)")
    func loadsItsWorkingSet() {
        let set = Set(host: stage.host)
        let a = use("A", in: set)
        a.makesView = { [unowned set] in
            set.loadViewIfNeeded()
            return View()
        }
        a.loadViewStyle = .assigns
        #expect(stage.events { a.loadViewIfNeeded() } == ["A.loadView", "A.viewDidLoad"])
        #expect(a.view.superview === set.view)
        let window = stage.window(showing: set)
        #expect(a.view.window === window && a.appearance.phase == .appeared)
    }

    @Test("a child that shows its working set before it has a view of its own appears afterwards (3.2, 5.43)")
    func showsItsWorkingSet() {
        let set = Set(host: stage.host)
        let a = use("A", in: set)
        let window = stage.window()
        a.makesView = { [unowned set, unowned window] in
            window.rootViewController = set
            return View()
        }
        a.loadViewStyle = .assigns
        #expect(
            stage.events { a.loadViewIfNeeded() } == [
                "A.loadView", "A.viewDidLoad", "A.viewWillAppear", "A.viewDidAppear",
            ]
        )
        #expect(a.view.window === window)
    }

    @Test("a child whose loadView puts its view into the working set appears there after its load (3.4, 5.43)")
    func putsItselfIn() {
        let (set, window) = shown()
        let place = View()
        set.view.addSubview(place)
        let a = stage.controller("A", on: ["loadView": { place.addSubview($0.view) }])
        let events = stage.events { _ = set.child(for: "A") { a } }
        #expect(events.suffix(4) == ["A.loadView", "A.viewDidLoad", "A.viewWillAppear", "A.viewDidAppear"])
        #expect(a.view.superview === place && a.view.window === window)
        #expect(stage.events { set.removeChild(for: "A") }.contains("A.viewDidDisappear"))
    }

    @Test("a child that a stack refuses after it has left the working set is put in again (3.24, 5.42, 5.43)")
    func refusedAfterItLeft() {
        let (set, window) = shownOfAny()
        let child = stage.controller("C")
        _ = set.child(for: 1) { child }
        let stack = NavigationController(host: stage.host)
        child.on["viewDidDisappear"] = { [unowned stack] child in
            child.on = [:]
            child.addChild(stack)
        }
        #expect(stage.events { stack.push(child) }.last == "fault:hierarchyInconsistency")
        #expect(child.parent === set && set.childrenInService.first === child)
        #expect(child.view.window === window && child.appearance.phase == .appeared)
    }

    @Test("a transition between children of a working set is refused, since the set decides which ones it shows (5.11)")
    func transition() {
        let (set, window) = shown(limit: 1)
        let b = use("B", in: set)
        let a = use("A", in: set)
        #expect(stage.events { set.transition(from: a, to: b) }.last == "fault:hierarchyInconsistency")
        #expect(onWindow(set) == ["A"] && inService(set) == ["A"])
        withExtendedLifetime(window) {}
    }

    @Test("a key that is not equal to itself traps, because its child could not be found again")
    func notEqualToItself() async {
        await #expect(processExitsWith: .failure) {
            let stage = Stage()
            let set = WorkingSetController<Double, ViewController>(host: stage.host, limit: 1)
            _ = set.child(for: .nan) { ViewController(host: stage.host) }
        }
    }

    @Test("a clock that uses the key of a new child makes that child")
    func clockUsesKey() {
        var act: (() -> Void)?
        let set = Set(host: stage.host) {
            let once = act
            act = nil
            once?()
            return .now
        }
        let window = stage.window(showing: set)
        act = { [unowned set] in _ = set.child(for: "A") { stage.controller("B") } }
        let child = set.child(for: "A") { stage.controller("A") }
        #expect(child.name == "B" && set.children.count == 1 && set.view.subviews.count == 1)
        set.removeChild(for: "A")
        #expect(set.children.isEmpty && set.view.subviews.isEmpty)
        withExtendedLifetime(window) {}
    }

    @Test("a child that another container takes leaves the view while it is still the working set's child (5.5)")
    func takenByAdding() {
        let (set, window) = shown()
        var parents: [ViewController?] = []
        let note: (RecordingController) -> Void = { parents.append($0.parent) }
        let a = use("A", in: set, on: ["viewWillDisappear": note, "viewDidDisappear": note])
        let other = stage.controller("P")
        other.addChild(a)
        #expect(parents.count == 2 && parents.allSatisfy { $0 === set })
        #expect(set.children.isEmpty && set.view.subviews.isEmpty && a.parent === other)
        withExtendedLifetime(window) {}
    }
}

/// A controller with code in `willMove(toParent:)`.
private final class Moving: RecordingController {
    var willMove: (Moving) -> Void = { _ in }

    override func willMove(toParent parent: ViewController?) {
        super.willMove(toParent: parent)
        if parent != nil { willMove(self) }
    }
}
