import Testing

@testable import ControllerWalk
@testable import ResourceManager

/// Calls in callbacks that undo what the outer call does, or give its controllers to another owner: the later wish counts.
struct LaterWishTests {
    private let stage = Stage()

    private func stack(_ controllers: ViewController...) -> NavigationController {
        NavigationController(host: stage.host, viewControllers: controllers)
    }

    private func areSame(_ some: [AnyObject], _ others: [AnyObject]) -> Bool { some.elementsEqual(others, by: ===) }

    /// The moves of a controller among the events, as `+` for a will-callback and `-` for a did-callback.
    private func moves(of name: String, in events: [String]) -> String {
        events.filter { $0.hasPrefix("\(name).willMove") || $0.hasPrefix("\(name).didMove") }
            .map { $0.contains("will") ? "+" : "-" }.joined()
    }

    @Test("a controller that a callback pushes again while it is popped stays, after leaving and joining (3.24, 5.17)")
    func pushedAgain() {
        let (a, b) = (stage.controller("A"), stage.controller("B"))
        let stack = stack(a, b)
        let window = stage.window(showing: stack)
        a.on["viewDidAppear"] = once { stack.push(b) }
        let events = stage.events { stack.pop() }
        #expect(areSame(stack.viewControllers, [a, b]) && areSame(stack.children, [a, b]))
        #expect(b.appearance.phase == .appeared && b.view.window === window)
        #expect(moves(of: "B", in: events) == "+-+-")
    }

    @Test("a covered controller that a callback pushes again during popToRoot stays (3.24)")
    func pushedAgainBelow() {
        let (a, b, c) = (stage.controller("A"), stage.controller("B"), stage.controller("C"))
        let stack = stack(a, b, c)
        let window = stage.window(showing: stack)
        b.on["didLeave"] = { _ in stack.push(c) }
        stack.popToRoot()
        #expect(areSame(stack.viewControllers, [a, c]) && c.view.window === window)
    }

    @Test("a tab that a callback adds again while it is removed stays, after leaving and joining (3.24)")
    func tabAddedAgain() {
        let (a, b) = (stage.controller("A"), stage.controller("B"))
        let tabs = TabController(host: stage.host, viewControllers: [a, b])
        tabs.selectedIndex = 1
        let window = stage.window(showing: tabs)
        a.on["viewDidAppear"] = once { tabs.setViewControllers([a, b]) }
        let events = stage.events { tabs.setViewControllers([a]) }
        #expect(areSame(tabs.viewControllers, [a, b]) && areSame(tabs.children, [a, b]) && window.isVisible)
        #expect(moves(of: "B", in: events) == "+-+-")
    }

    @Test("a transition takes a view out that is on its way from a window into the container (3.24, 5.7)")
    func replacedAsItMoves() {
        let (container, a, b) = (stage.controller("C"), stage.controller("A"), stage.controller("B"))
        let window = stage.window()
        window.addSubview(a.view)
        for child in [a, b] { container.addChild(child) }
        a.on["viewWillDisappear"] = once { container.transition(from: a, to: b) }
        container.view.addSubview(a.view)
        #expect(a.appearance.phase == .disappeared && a.view.superview == nil && window.subviews.isEmpty)
    }

    @Test("a dismissed tree whose child presents again while it leaves does not return (3.24, 5.24)")
    func presentsAsItIsDismissed() {
        let (root, container, child) = (stage.controller("R"), stage.controller("C"), stage.controller("A"))
        let window = stage.window(showing: root)
        container.addChild(child)
        container.view.addSubview(child.view)
        root.present(container)
        container.on["viewWillDisappear"] = once { root.dismiss() }
        root.on["viewDidAppear"] = once { child.present(stage.controller("S")) }
        root.dismiss()
        #expect(areSame(window.subviews, [root.view]) && container.view.window == nil)
        #expect(container.appearance.phase == .disappeared && child.appearance.phase == .disappeared)
    }

    @Test(
        "a controller that its own dismissal brings back into service leaves it again (3.24, 5.24)",
        arguments: [false, true]
    )
    func broughtBackByItsDismissal(isInPopover: Bool) {
        let (root, panel, child) = (stage.controller("R"), stage.controller("P"), stage.controller("C"))
        let window = stage.window(showing: root)
        panel.addChild(child)
        panel.view.addSubview(child.view)
        let popover = Popover(contentController: panel)
        if isInPopover { popover.show(in: window) } else { root.present(panel, style: .overlay) }
        panel.on["viewWillDisappear"] = once { if isInPopover { popover.dismiss() } else { root.dismiss() } }
        child.on["viewWillDisappear"] = once { [unowned window] in window.makeVisible() }
        let events = stage.events { window.hide() }
        #expect(window.isVisible && areSame(window.subviews, [root.view]))
        #expect(panel.appearance.phase == .disappeared && child.appearance.phase == .disappeared)
        for name in ["P", "C"] { #expect(events.last { $0.hasPrefix("\(name).view") } == "\(name).viewDidDisappear") }
        root.present(panel, style: .overlay)
        #expect(panel.appearance.phase == .appeared && child.view.window === window)
    }

    @Test("a child that its viewWillAppear removes does not appear where the library puts its view (3.24, 5.14, 5.43)")
    func removedAsItIsPutIn() {
        let set = WorkingSetController<Int, RecordingController>(host: stage.host)
        let child = stage.controller("A")
        child.on["viewWillAppear"] = { $0.removeFromParent() }
        let window = stage.window(showing: set)
        let events = stage.events { _ = set.child(for: 1) { child } }
        #expect(!events.contains("A.viewDidAppear") && child.view.window == nil && set.view.subviews.isEmpty)

        let parent = stage.controller("P")
        parent.addChild(child)
        parent.view.addSubview(child.view)
        parent.on["viewWillAppear"] = { [unowned child] _ in child.view = nil }
        window.rootViewController = parent
        #expect(child.parent == nil && child.viewIfLoaded?.window == nil && parent.view.subviews.isEmpty)
    }

    @Test("a view that a load takes out while it is put into its place once more does not appear (3.24)")
    func takenOutAsItIsPlaced() {
        let (parent, top) = (stage.controller("P"), stage.controller("T"))
        let stack = stack()
        parent.addChild(stack)
        parent.view.addSubview(stack.view)
        stack.push(top)
        top.on["viewDidLoad"] = { _ in stack.view.removeFromSuperview() }
        parent.on["viewWillAppear"] = { [unowned parent] _ in parent.view.addSubview(stack.view) }
        let window = stage.window(showing: parent)
        #expect(parent.view.window === window && stack.view.superview == nil)
        #expect(stack.appearance.phase == .disappeared && top.appearance.phase == .disappeared)
    }

    @Test("a transition that is refused lays nothing out (3.24)")
    func refusedTransition() {
        let parent = stage.controller("P")
        let window = stage.window(showing: parent)
        parent.recordsLayout = true
        parent.view.setNeedsLayout()
        let (a, b) = (stage.controller("A"), stage.controller("B"))
        #expect(stage.events { parent.transition(from: a, to: b) } == ["fault:notSiblings"])
        window.hide()
    }

    @Test("a controller that a callback pushes elsewhere as it leaves for a stack stays there, with a fault (3.24)")
    func pushedElsewhereAsItLeaves() {
        let b = stage.controller("B")
        let (first, second, third) = (stack(stage.controller("A"), b), stack(), stack())
        let window = stage.window(showing: first)
        b.on["viewDidDisappear"] = { _ in third.push(b) }
        let events = stage.events { second.push(b) }
        #expect(events.last == "fault:hierarchyInconsistency")
        #expect(b.parent === third && second.viewControllers.isEmpty && window.isVisible)
    }

    @Test(
        "a controller that the callback of another new one gives to another owner stays there, with a fault (3.24)",
        arguments: [false, true],
        [false, true]
    )
    func givenAwayByAnother(isTabs: Bool, isOld: Bool) {
        let (a, new) = (stage.controller("A"), stage.controller("N"))
        let other = stack()
        new.on["willJoin"] = { _ in other.push(a) }
        let old = isOld ? [a] : []
        let container: ViewController
        let events: [String]
        if isTabs {
            let tabs = TabController(host: stage.host, viewControllers: old)
            container = tabs
            events = stage.events { tabs.setViewControllers([new, a]) }
        } else {
            let stack = NavigationController(host: stage.host, viewControllers: old)
            container = stack
            events = stage.events { stack.setViewControllers([new, a]) }
        }
        #expect(a.parent === other && areSame(container.children, [new]))
        #expect(events.last == "fault:hierarchyInconsistency" || !isTabs && isOld)
        #expect(moves(of: "N", in: events) == "+-")
    }

    @Test(
        "a tab that a callback removes, or removes and adds again, is told of each move once (3.24, 5.3)",
        arguments: [false, true]
    )
    func movedByTheFirst(isAddedAgain: Bool) {
        let (a, b) = (stage.controller("A"), stage.controller("B"))
        let tabs = TabController(host: stage.host, viewControllers: [])
        a.on["didJoin"] = once {
            tabs.setViewControllers([a])
            if isAddedAgain { tabs.setViewControllers([a, b]) }
        }
        let events = stage.events { tabs.setViewControllers([a, b]) }
        #expect(moves(of: "B", in: events) == (isAddedAgain ? "++-+-" : "++-"))
        #expect((b.parent != nil) == isAddedAgain)
    }

    @Test("the delegate of a stack is told once of a top that a callback has pushed (5.20)")
    func toldOnce() {
        final class Listener: NavigationControllerDelegate {
            var shown: [ViewController] = []
            func navigationController(_: NavigationController, didShow controller: ViewController) {
                shown.append(controller)
            }
        }
        let (b, c) = (stage.controller("B"), stage.controller("C"))
        let stack = stack(stage.controller("A"))
        let listener = Listener()
        stack.delegate = listener
        let window = stage.window(showing: stack)
        listener.shown = []
        b.on["didJoin"] = { _ in stack.push(c) }
        stack.push(b)
        #expect(areSame(listener.shown, [c]) && window.isVisible)
    }

    @Test("a transition to a child whose view lies in the old child's view shows it in the container's (5.7, 5.11)")
    func toFormerGrandchild() {
        let (root, old, inner) = (stage.controller("R"), stage.controller("O"), stage.controller("I"))
        let window = stage.window(showing: root)
        for (parent, child) in [(root, old), (old, inner)] {
            parent.addChild(child)
            parent.view.addSubview(child.view)
        }
        root.addChild(inner)
        root.transition(from: old, to: inner)
        #expect(areSame(root.view.subviews, [inner.view]) && inner.view.window === window)
        #expect(stage.events { window.hide() }.contains("I.viewDidDisappear"))
    }

    @Test("a child of a working set that retires as its view is loaded again does not return to it (5.43)")
    func retiredInItsLoad() {
        let set = WorkingSetController<Int, RecordingController>(host: stage.host, limit: 1)
        let window = stage.window(showing: nil)
        window.hide()
        window.rootViewController = set
        set.loadViewIfNeeded()
        let (a, b) = (stage.controller("A"), stage.controller("B"))
        _ = set.child(for: 1) { a }
        a.view = nil
        a.on["loadView"] = once { _ = set.child(for: 2) { b } }
        window.makeVisible()
        #expect(areSame(set.childrenInService, [b]) && areSame(set.view.subviews, [b.view]))
        #expect(a.appearance.phase == .disappeared)
    }

    @Test("a controller that a callback adds during the questions is asked whether it supports the environment (5.35)")
    func askedLate() {
        final class Asked: ViewController {
            var answer: () -> Bool = { true }
            override func supports(_ environment: Environment) -> Bool { answer() }
        }
        let (a, b) = (Asked(host: stage.host), Asked(host: stage.host))
        let stack = stack(a)
        let window = stage.window(showing: stack)
        a.answer = {
            if b.parent == nil { stack.push(b) }
            return true
        }
        b.answer = { false }
        #expect(stage.events { window.changeMode(to: "x") } == ["fault:environmentRefused"])
        #expect(window.environment.mode == .normal)
    }

    @Test(
        "a root that a callback sets during a change of the environment is told of it, and the old one no more (5.34)"
    )
    func rootDuringChange() {
        let (root, child, new) = (stage.controller("R"), stage.controller("C"), stage.controller("N"))
        root.addChild(child)
        let window = stage.window(showing: root)
        root.on["willTransition(x)"] = { _ in window.rootViewController = new }
        let told = stage.events { window.changeMode(to: "x") }.filter { $0.contains("Transition") }
        #expect(told == ["R.willTransition(x)", "N.willTransition(x)", "N.didTransition(x)"])
    }

    @Test(
        "each presentation over a controller is told its end, the topmost first (5.28, 5.32)",
        arguments: [false, true]
    )
    func endsOfPresentations(byRoot: Bool) {
        let base = stage.controller("B")
        let window = stage.window(showing: base)
        let trace = Trace()
        var last: ViewController = base
        for name in ["1", "2"] {
            let next = SteppingController(host: stage.host)
            next.at = { step, _ in
                if step == .willDismiss || step == .didDismiss { trace.record("\(name).\(step)") }
            }
            last.present(next, style: .overlay)
            last = next
        }
        if byRoot { window.rootViewController = nil } else { base.dismiss() }
        #expect(trace.take() == ["2.willDismiss", "1.willDismiss", "2.didDismiss", "1.didDismiss"])
    }

    @Test(
        "a presentation that begins as the others are told their end is told both steps of its own (5.28)",
        arguments: [false, true]
    )
    func endOfLatePresentation(byRoot: Bool) {
        let base = stage.controller("B")
        let window = stage.window(showing: base)
        let trace = Trace()
        let (first, late) = (SteppingController(host: stage.host), SteppingController(host: stage.host))
        first.at = { step, _ in
            trace.record("1.\(step)")
            if step == .willDismiss { first.present(late, style: .overlay) }
        }
        late.at = { step, _ in trace.record("2.\(step)") }
        base.present(first, style: .overlay)
        _ = trace.take()
        if byRoot { window.rootViewController = nil } else { base.dismiss() }
        let steps = trace.take().filter { $0.contains("Dismiss") }
        #expect(steps.filter { $0.hasPrefix("2") } == ["2.willDismiss", "2.didDismiss"])
        #expect(steps.filter { $0.hasPrefix("1") } == ["1.willDismiss", "1.didDismiss"])
    }

    @Test("a popover's content that a callback presents elsewhere as it returns stays out when that ends (3.24)")
    func presentedElsewhereAsItReturns() {
        let (root, other, content) = (stage.controller("R"), stage.controller("O"), stage.controller("C"))
        let (window, second) = (stage.window(showing: root), stage.window(showing: other))
        let popover = Popover(contentController: content)
        popover.show(in: window)
        content.present(stage.controller("S"))
        content.on["viewDidAppear"] = once {
            popover.dismiss()
            other.present(content, style: .overlay)
            other.dismiss()
        }
        content.dismiss()
        #expect(content.view.superview == nil && content.appearance.phase == .disappeared)
        #expect(window.subviews.count == 1 && second.subviews.count == 1)
    }

    @Test("a popover is refused in a window that is being hidden (5.39)")
    func popoverInHidingWindow() {
        let root = stage.controller("R")
        let window = stage.window(showing: root)
        let popover = Popover(contentController: stage.controller("P"))
        root.on["viewWillDisappear"] = { _ in popover.show(in: window) }
        #expect(stage.events { window.hide() }.contains("fault:presenterNotInWindow"))
        #expect(popover.window == nil && !popover.contentController.isViewLoaded)
    }

    @Test("a presentation whose root a callback gives up and takes back is told of its real end too (3.24, 5.32)")
    func endWithdrawn() {
        let (root, other) = (stage.controller("R"), stage.controller("O"))
        let sheet = SteppingController(host: stage.host)
        let window = stage.window(showing: root)
        var steps: [String] = []
        sheet.at = { [unowned window] step, _ in
            switch step {
            case .willLayout, .didLayout: return
            case .willPresent: window.rootViewController = other
            case .willDismiss where steps.isEmpty: window.rootViewController = root
            default: break
            }
            steps.append("\(step)")
            if step == .willPresent { #expect(window.rootViewController === root) }
        }
        root.present(sheet)
        #expect(sheet.view.window === window && window.rootViewController === root)
        root.dismiss()
        #expect(steps == ["willDismiss", "willPresent", "didPresent", "willDismiss", "didDismiss"])
    }

    @Test("a presentation that a callback of its load dismisses is told of no beginning and no end (3.24, 5.28)")
    func endedBeforeItsBeginning() {
        let root = stage.controller("R")
        let sheet = SteppingController(host: stage.host)
        let window = stage.window(showing: root)
        sheet.whenLoaded = { root.dismiss() }
        var steps: [String] = []
        sheet.at = { step, _ in steps.append("\(step)") }
        root.present(sheet)
        #expect(root.presentedViewController == nil && root.view.window === window)
        #expect(steps == [])
    }

    @Test("a child that its willMove gives to another owner and takes away again is not added by the outer call (3.24)")
    func takenAndLeftInWillMove() {
        let (box, child) = (stage.controller("P"), stage.controller("C"))
        let stack = stack(stage.controller("A"))
        child.on["willJoin"] = once {
            stack.push(child)
            stack.pop()
        }
        let events = stage.events { box.addChild(child) }
        #expect(child.parent == nil && box.children.isEmpty)
        #expect(moves(of: "C", in: events) == "++-+-" && events.last == "fault:hierarchyInconsistency")
        box.addChild(child)
        #expect(child.parent === box)
    }

    @Test("a controller that a callback pops before it was told that it had joined is told only that it leaves (3.24)")
    func poppedBeforeItJoined() {
        let (a, b) = (stage.controller("A"), stage.controller("B"))
        let stack = stack(stage.controller("Z"))
        a.on["didJoin"] = once { stack.pop() }
        let events = stage.events { stack.setViewControllers([a, b]) }
        #expect(moves(of: "B", in: events) == "++-" && b.parent == nil)
    }

    @Test("the delegate is told once of a top during which it has begun a change that was refused (5.20)")
    func shownOnceDespiteARefusedChange() {
        final class Delegate: NavigationControllerDelegate {
            var shown: [ViewController] = []
            var whenShown: () -> Void = {}
            func navigationController(_ stack: NavigationController, didShow controller: ViewController) {
                shown.append(controller)
                Swift.exchange(&whenShown, with: {})()
            }
        }
        let (a, b, c, d) = (stage.controller("A"), stage.controller("B"), stage.controller("C"), stage.controller("D"))
        let (stack, other) = (stack(a, b), stack(stage.controller("O")))
        let window = stage.window(showing: stack)
        let delegate = Delegate()
        stack.delegate = delegate
        a.on["viewDidAppear"] = once { stack.push(c) }
        d.on["willJoin"] = once { other.push(d) }
        delegate.whenShown = { stack.push(d) }
        stack.pop()
        #expect(areSame(stack.viewControllers, [a, c]) && areSame(delegate.shown, [c]) && d.parent === other)
        c.removeFromParent()
        stack.push(c)
        #expect(areSame(delegate.shown.suffix(1), [c]) && c.view.window === window)
    }

    @Test("a view on its way into a window stays out after its controller has had another owner in between (3.24)")
    func ownedInBetween() {
        let bare = stage.controller("B")
        let (window, tabs) = (stage.window(), TabController(host: stage.host))
        bare.on["viewWillAppear"] = once {
            tabs.setViewControllers([bare])
            tabs.setViewControllers([])
        }
        window.addSubview(bare.view)
        #expect(bare.parent == nil && bare.view.superview == nil && bare.appearance.phase == .disappeared)
        window.addSubview(bare.view)
        #expect(bare.view.window === window && bare.appearance.phase == .appeared)
    }

    @Test("a window that is hidden leaves a view to the other window whose root its controller has become (5.32)")
    func rootOfAnotherWindow() {
        let root = stage.controller("R")
        let (place, window) = (Window(host: stage.host), Window(host: stage.host))
        place.addSubview(root.view)
        window.rootViewController = root
        root.on["viewWillAppear"] = once {
            place.makeVisible()
            place.hide()
        }
        let events = stage.events { window.makeVisible() }
        #expect(root.view.window === window && !place.isVisible)
        let appearances = ["R.viewWillAppear", "R.viewDidAppear"]
        #expect(events.filter { $0.contains("ppear") } == appearances)
    }
}
