import Testing

@testable import ResourceManager

/// Presentations and roots that callbacks revert.
@Suite(.onTwoThreads)
struct InterruptedPresentationTests {
    let stage = Stage()

    @Test(
        "a child that comes into a view that a nested dismissal brought back is laid out, gets a backing, and appears (3.4)"
    )
    func laidOutAfterANestedDismissal() {
        final class Backed: View {
            override func makeBacking() -> Any? { 1 }
        }
        let (base, p, x) = (NavigationController(host: stage.host), stage.controller("P"), stage.controller("X"))
        let (inner, a) = (NavigationController(host: stage.host), stage.controller("A", loadView: .assigns))
        a.makesView = { Backed() }
        let window = stage.window(showing: base)
        base.push(p)
        p.addChild(inner)
        p.view.addSubview(inner.view)
        base.present(x)
        // Nothing is loaded off window.
        inner.push(a)
        a.recordsLayout = true
        p.on["viewWillAppear"] = once { base.dismiss() }
        a.on["viewDidAppear"] = once { #expect(a.view.backing != nil) }
        let events = stage.events { x.dismiss() }
        #expect(a.viewIfLoaded?.window === window && x.viewIfLoaded?.window == nil)
        #expect(
            events.filter { $0.hasPrefix("A.") } == [
                "A.loadView", "A.viewDidLoad", "A.viewWillAppear", "A.viewWillLayoutSubviews",
                "A.viewDidLayoutSubviews", "A.viewDidAppear",
            ]
        )
    }

    @Test("a window that is resized while a presentation over its sheet loads lays out the sheet too (3.6, 5.23)")
    func resizedDuringALoad() {
        let (base, sheet, cover) = (stage.controller("B"), stage.controller("S"), stage.controller("C"))
        let window = stage.window(showing: base)
        base.present(sheet, style: .overlay)
        sheet.recordsLayout = true
        cover.on["loadView"] = once {
            window.resize(to: Budget(bytes: 5 << 20))
            sheet.dismiss()
        }
        #expect(
            stage.events { sheet.present(cover) } == [
                "C.loadView", "S.viewWillLayoutSubviews", "S.viewDidLayoutSubviews", "C.viewDidLoad",
            ]
        )
        #expect(sheet.view.window === window && sheet.view.budget == Budget(bytes: 5 << 20))
    }

    @Test("a popover whose content presents in its dismissal leaves no view in a window that was hidden (5.24, 5.39)")
    func presentInThePopoversDismissal() {
        let (content, child) = (stage.controller("P"), stage.controller("C"))
        let above = SteppingController(host: stage.host)
        above.at = { step, presentation in
            if step == .willPresent { presentation.presentingViewController?.viewIfLoaded?.window?.hide() }
        }
        let window = stage.window(showing: stage.controller("R"))
        let popover = Popover(contentController: content)
        content.addChild(child)
        popover.show(in: window)
        content.view.addSubview(child.view)
        // The child, which has not been told yet, may still present.
        content.on["viewWillDisappear"] = once { child.present(above) }
        popover.dismiss()
        #expect(window.subviews.isEmpty && content.view.superview == nil)
        #expect(child.presentedViewController == nil)
        #expect(stage.events { window.makeVisible() } == ["R.viewWillAppear", "R.viewDidAppear"])
    }

    @Test("a presentation that a new root ends while the presenter loads for its dismissal is told once (5.24, 5.32)")
    func rootReplacedInDismissal() {
        let (base, above) = (stage.controller("B"), SteppingController(host: stage.host))
        above.at = { [stage] step, _ in
            if step == .willDismiss || step == .didDismiss { stage.trace.record(step.rawValue) }
        }
        let window = stage.window(showing: base)
        base.present(above)
        _ = stage.warn()
        base.on["viewDidLoad"] = once { [unowned window] in window.rootViewController = nil }
        #expect(stage.events { base.dismiss() } == ["B.loadView", "B.viewDidLoad", "willDismiss", "didDismiss"])
        #expect(window.subviews.isEmpty && above.presentingViewController == nil)
    }

    /// Releases the view at a warning as UIKit's programs do (4.14).
    private func releasingOffWindow(_ controller: RecordingController) {
        controller.on["didReceiveMemoryWarning"] = { if $0.viewIfLoaded?.window == nil { $0.view = nil } }
    }

    @Test("a covered controller that releases its view while it returns is loaded again (4.14, 5.24)")
    func releasedWhileItReturns() {
        let stage = Stage(policy: .keep)
        let (base, sheet) = (stage.controller("B"), stage.controller("S"))
        releasingOffWindow(base)
        let window = stage.window(showing: base)
        base.present(sheet)
        sheet.on["viewWillDisappear"] = once { stage.host.simulateMemoryWarning() }
        #expect(
            stage.events { base.dismiss() } == [
                "S.viewWillDisappear", "B.didReceiveMemoryWarning", "S.didReceiveMemoryWarning", "B.loadView",
                "B.viewDidLoad", "B.viewWillAppear", "B.viewDidAppear", "S.viewDidDisappear",
            ]
        )
        #expect(base.view.window === window)
    }

    @Test("a controller that releases its view while it is presented is loaded again (4.14, 5.23)")
    func releasedWhileItIsPresented() {
        let stage = Stage(policy: .keep)
        let (base, sheet) = (stage.controller("B"), stage.controller("S"))
        releasingOffWindow(sheet)
        let window = stage.window(showing: base)
        base.on["viewWillDisappear"] = once { stage.host.simulateMemoryWarning() }
        base.present(sheet)
        #expect(sheet.appearance.phase == .appeared && sheet.viewIfLoaded?.window === window)
    }

    @Test("what a child of a dismissed controller presents in the last callbacks is dismissed as well (5.28)")
    func presentedByChildInDismissal() {
        let (base, sheet) = (stage.controller("B"), stage.controller("S"))
        let (child, late) = (stage.controller("C"), stage.controller("L"))
        let window = stage.window(showing: base)
        sheet.forwards = false
        sheet.addChild(child)
        base.present(sheet)
        child.beginAppearanceTransition(true)
        sheet.view.addSubview(child.view)
        child.endAppearanceTransition()
        // The sheet has been told already; its child, which it tells itself, has not.
        base.on["viewDidAppear"] = once { child.present(late, style: .overlay) }
        base.dismiss()
        #expect(late.isViewLoaded && child.presentedViewController == nil)
        #expect(window.subviews.count == 1 && base.view.window === window)
    }

    @Test("a root that its callback puts into another window, while its own is hidden, stays there (3.24)")
    func movedWhileHidden() {
        let (root, sheet, other) = (stage.controller("R"), stage.controller("S"), stage.controller("O"))
        let window = stage.window(showing: root)
        let second = stage.window(showing: other)
        root.present(sheet, style: .overlay)
        sheet.on["viewWillDisappear"] = once {
            root.beginAppearanceTransition(true)
            root.on["viewWillDisappear"] = once { [unowned window] in
                window.rootViewController = nil
                other.addChild(root)
                other.view.addSubview(root.view)
            }
        }
        window.hide()
        #expect(root.parent === other && root.appearance.phase == .appeared && root.view.window === second)
    }

    @Test("a presentation that is dismissed in a hidden window leaves nothing behind in the window (5.24, 5.32)")
    func hiddenDismiss() {
        let old = stage.controller("O")
        let sheet = stage.controller("S")
        let new = stage.controller("N")
        let window = stage.window(showing: old)
        old.present(sheet)
        window.hide()
        #expect(stage.events { old.dismiss() }.isEmpty)
        #expect(window.subviews.isEmpty)
        window.rootViewController = new
        #expect(
            stage.events { window.makeVisible() } == [
                "N.loadView", "N.viewDidLoad", "N.viewWillAppear", "N.viewDidAppear",
            ]
        )
        #expect(window.subviews.count == 1 && old.view.window == nil)
    }

    @Test("a view that a callback takes out as it returns from a presentation stays out (3.24, 5.24)")
    func takenOutAsItReturns() {
        let (base, cover) = (stage.controller("B"), stage.controller("C"))
        let window = stage.window(showing: nil)
        window.addSubview(base.view)
        base.present(cover)
        #expect(base.view.superview == nil && cover.view.window === window)
        base.recordsLayout = true
        base.view.setNeedsLayout()
        base.on["viewDidLayoutSubviews"] = once { base.view.removeFromSuperview() }
        base.dismiss()
        #expect(base.view.superview == nil && window.subviews.isEmpty)
        #expect(base.appearance.phase == .disappeared)
    }

    @Test("a controller that is presented again while it is dismissed reverses and stays (3.17, 5.23, 5.24)")
    func presentAgain() {
        let base = stage.controller("B")
        let sheet = stage.controller("S")
        let window = stage.window(showing: base)
        base.present(sheet)
        base.on["viewDidAppear"] = once { base.present(sheet) }
        #expect(
            stage.events { base.dismiss() } == [
                "S.viewWillDisappear", "B.viewWillAppear", "B.viewDidAppear", "B.viewWillDisappear",
                "S.viewWillAppear", "S.viewDidAppear", "B.viewDidDisappear",
            ]
        )
        #expect(base.presentedViewController === sheet)
        #expect(sheet.view.window === window && base.view.window == nil && window.subviews.count == 1)
    }

    @Test("a stack that returns to service during a push attaches the new top before both have appeared (3.3, 3.24)")
    func backInPush() {
        let top = stage.controller("T")
        let new = stage.controller("N")
        let sheet = stage.controller("S")
        let stack = NavigationController(host: stage.host, viewControllers: [top])
        let window = stage.window(showing: stack)
        new.annotation = { $0.viewIfLoaded?.window == nil ? " off window" : " on window" }
        stack.present(sheet)
        top.on["viewWillAppear"] = once { stack.push(new) }
        new.on["viewWillAppear"] = once { stack.dismiss() }
        let events = stage.events { stack.dismiss() }
        #expect(
            events.filter { $0.hasPrefix("N.viewDid") } == ["N.viewDidLoad off window", "N.viewDidAppear on window"]
        )
        #expect(new.view.window === window && stack.view.subviews.count == 1 && window.subviews.count == 1)
    }

    @Test("a full-screen presentation that the presenter cancels as it disappears leaves no trace (3.17, 5.23)")
    func dismissInPresenting() {
        let base = stage.controller("B")
        let sheet = stage.controller("S")
        let window = stage.window(showing: base)
        base.on["viewWillDisappear"] = once { base.dismiss() }
        #expect(
            stage.events { base.present(sheet) } == [
                "S.loadView", "S.viewDidLoad", "B.viewWillDisappear", "B.viewWillAppear", "B.viewDidAppear",
            ]
        )
        #expect(base.presentedViewController == nil)
        #expect(base.view.window === window && sheet.view.superview == nil)
        base.present(sheet)
        #expect(sheet.view.window === window && base.view.window == nil)
    }

    @Test("a full-screen presentation that is cancelled before it begins changes nothing (5.23)")
    func dismissInBegin() {
        let (base, sheet) = (stage.controller("B"), SteppingController(host: stage.host))
        sheet.at = { step, presentation in
            if step == .willPresent { presentation.presentingViewController?.dismiss() }
        }
        let window = stage.window(showing: base)
        var completions = 0
        #expect(stage.events { base.present(sheet) { completions += 1 } }.isEmpty)
        #expect(completions == 1)
        #expect(base.presentedViewController == nil && base.view.window === window)
        base.present(stage.controller("A"))
        #expect(base.presentedViewController != nil && base.view.window == nil)
    }

    @Test("a root that is removed while it is being covered leaves the window (5.23, 5.32)")
    func rootNilInPresenting() {
        let base = stage.controller("B")
        let sheet = stage.controller("S")
        let window = stage.window(showing: base)
        sheet.recordsLayout = true
        sheet.on["viewDidLayoutSubviews"] = once { [unowned window] in window.rootViewController = nil }
        #expect(
            stage.events { base.present(sheet) }.filter { !$0.contains("Layout") } == [
                "S.loadView", "S.viewDidLoad", "B.viewWillDisappear", "S.viewWillAppear", "S.viewWillDisappear",
                "B.viewDidDisappear", "S.viewDidDisappear",
            ]
        )
        #expect(window.rootViewController == nil && window.subviews.isEmpty)
        #expect(base.presentedViewController == nil)
        stage.host.simulateMemoryWarning()
        #expect(!base.isViewLoaded)
    }

    @Test("a new root that moves elsewhere while the old one disappears stays there (3.24, 5.32)")
    func rootTaken() {
        let old = stage.controller("O")
        let new = stage.controller("N")
        let stack = NavigationController(host: stage.host)
        let window = stage.window(showing: old)
        old.on["viewWillDisappear"] = once { stack.push(new) }
        #expect(
            stage.events { window.rootViewController = new } == [
                "O.viewWillDisappear", "N.willMove(nil)", "N.didMove(nil)", "O.viewDidDisappear",
                "fault:hierarchyInconsistency",
            ]
        )
        #expect(window.rootViewController == nil && window.subviews.isEmpty)
        #expect(new.parent === stack && !new.isViewLoaded)
    }

    @Test("a root that is set again while it disappears reverses its transition (3.17, 3.24)")
    func rootTakenBack() {
        let old = stage.controller("O")
        let new = stage.controller("N")
        let window = stage.window(showing: old)
        old.on["viewWillDisappear"] = once { [unowned window, unowned old] in window.rootViewController = old }
        #expect(
            stage.events { window.rootViewController = new } == [
                "O.viewWillDisappear", "O.viewWillAppear", "O.viewDidAppear",
            ]
        )
        #expect(window.rootViewController === old && old.view.window === window)
        #expect(!new.isViewLoaded)
    }

    @Test("a window that is shown again while it is being hidden stays visible, with all its contents (3.17, 3.24)")
    func shownWhileHidden() {
        let root = stage.controller("R")
        let bare = stage.controller("X")
        let window = stage.window(showing: root)
        window.addSubview(bare.view)
        root.on["viewWillDisappear"] = once { [unowned window] in window.makeVisible() }
        #expect(
            stage.events { window.hide() } == ["R.viewWillDisappear", "R.viewWillAppear", "R.viewDidAppear"]
        )
        #expect(window.isVisible && root.view.window === window && bare.view.window === window)
    }

    @Test("all presentations of a destroyed window have ended when the first of their controllers is destroyed (5.41)")
    func endedBeforeDeinit() {
        let (root, bare, sheet) = (stage.controller("R"), stage.controller("B"), stage.controller("S"))
        let other = stage.window()
        var window: Window? = stage.window(showing: root)
        window?.addSubview(bare.view)
        var overlay: Releasing? = Releasing(host: stage.host)
        overlay?.release = { [unowned other] in other.rootViewController = root }
        if let overlay { bare.present(overlay, style: .overlay) }
        overlay = nil
        root.present(sheet)
        window = nil
        #expect(window == nil && root.view.window === other && sheet.presentingViewController == nil)
    }

    @Test("the presentation of a presenter has ended when its destruction is announced (5.41)")
    func endedBeforePresenterIsGone() {
        let sheet = stage.controller("S")
        let window = stage.window()
        var presenter: ViewController? = ViewController(host: stage.host)
        if let view = presenter?.view { window.addSubview(view) }
        presenter?.present(sheet)
        var isInWindow: Bool?
        let registration = stage.host.onLifecycleEvent { _ in isInWindow = sheet.view.superview != nil }
        presenter = nil
        #expect(isInWindow == false)
        registration.cancel()
    }

    @Test("a root that the deinit of a presentation controller sets stays (3.24)")
    func rootSetByDeinit() {
        let root = stage.controller("R")
        let sheet = EndingController(host: stage.host)
        let window = stage.window(showing: root)
        root.present(sheet)
        let (next, later) = (stage.controller("N"), stage.controller("L"))
        sheet.whenEnded = { [unowned window] in window.rootViewController = later }
        window.rootViewController = next
        #expect(window.rootViewController === later && later.view.window === window)
        #expect(window.subviews.count == 1 && next.appearance.phase == .disappeared)
    }

    @Test("a root that a presentation controller sets when it is told of its end stays (3.24, 5.32)")
    func rootSetAtTheEnd() {
        let (root, sheet) = (stage.controller("R"), SteppingController(host: stage.host))
        let (next, later) = (stage.controller("N"), stage.controller("L"))
        let window = stage.window(showing: root)
        sheet.at = { [unowned window] step, _ in
            if step == .didDismiss { window.rootViewController = later }
        }
        root.present(sheet, style: .overlay)
        window.rootViewController = next
        #expect(window.rootViewController === later && window.subviews.count == 1 && later.view.superview === window)
        #expect(next.appearance.phase == .disappeared && root.appearance.phase == .disappeared)
    }

    @Test("a window that is destroyed ends its presentations, without callbacks (5.41)")
    func droppedWindow() {
        let root = stage.controller("R")
        let sheet = stage.controller("S")
        var first: Window? = stage.window(showing: root)
        root.present(sheet)
        _ = stage.trace.take()
        #expect(stage.events { first = nil }.isEmpty)
        #expect(first == nil && root.presentedViewController == nil && sheet.presentingViewController == nil)
        let second = stage.window()
        #expect(
            stage.events { second.rootViewController = root } == ["R.viewWillAppear", "R.viewDidAppear"]
        )
        #expect(second.subviews.count == 1 && root.view.window === second)
        #expect(stage.events { root.dismiss() } == ["fault:nothingToDismiss"])
        root.present(sheet)
        #expect(sheet.view.window === second)
    }
}

/// A controller with code in `deinit`.
private final class Releasing: ViewController {
    var release: () -> Void = {}

    deinit { release() }
}

/// A controller whose presentation has code in `deinit`.
private final class EndingController: ViewController {
    private final class Presentation: PresentationController {
        var release: () -> Void = {}

        deinit { release() }
    }

    var whenEnded: () -> Void = {}

    override func makePresentationController(
        presenting presenter: ViewController,
        style: PresentationStyle
    ) -> PresentationController {
        let presentation = Presentation(presented: self, presenting: presenter, style: style)
        presentation.release = { [weak self] in self?.whenEnded() }
        return presentation
    }
}
