import Testing

@testable import ResourceManager

@Suite(.onTwoThreads)
struct PopoverTests {
    let stage = Stage()
    let appearing = ["X.viewWillAppear", "X.viewDidAppear"]
    let disappearing = ["X.viewWillDisappear", "X.viewDidDisappear"]

    /// A popover whose window is gone, and whose content the program has put into another one, where it presents.
    private func presentingWithoutWindow() -> (popover: Popover, window: Window) {
        let popover = Popover(contentController: stage.controller("C"))
        var first: Window? = stage.window()
        if let first { popover.show(in: first) }
        first = nil
        let window = stage.window()
        window.addSubview(popover.contentController.view)
        popover.contentController.present(stage.controller("D"))
        return (popover, window)
    }

    @Test("the content of a popover whose window is gone returns to the window that it is put into (5.24, 5.41)")
    func windowGone() {
        let (popover, window) = presentingWithoutWindow()
        popover.contentController.dismiss()
        #expect(popover.contentController.view.window === window)
    }

    @Test("the content of a popover whose window is gone is refused by it too while it presents (5.39, 5.42)")
    func presentsAfterWindowGone() {
        let (popover, window) = presentingWithoutWindow()
        let content = popover.contentController
        #expect(stage.events { popover.show(in: window) } == ["fault:hierarchyInconsistency"])
        #expect(popover.window == nil && content.viewIfLoaded?.window == nil)
        #expect(content.presentedViewController?.viewIfLoaded?.window === window)
        content.dismiss()
        #expect(content.viewIfLoaded?.window === window)
    }

    @Test("the content of a popover that ended under a presentation follows the window it is put into (5.8, 5.39)")
    func endsCovered() {
        let (c, first) = (stage.controller("C"), stage.window())
        var popover: Popover? = Popover(contentController: c)
        popover?.show(in: first)
        c.present(stage.controller("D"))
        popover = nil
        let second = Window(host: stage.host)
        second.addSubview(c.view)
        #expect(stage.events { second.makeVisible() } == ["C.viewWillAppear", "C.viewDidAppear"])
        #expect(stage.events { second.hide() } == ["C.viewWillDisappear", "C.viewDidDisappear"])
        #expect(first.subviews.isEmpty && c.view.superview === second)
    }

    @Test("the content returns with the window if what covers it is dismissed while that is being hidden (5.24, 5.39)")
    func dismissedWhileHiding() {
        let (root, c) = (stage.controller("R"), stage.controller("C"))
        let window = stage.window(showing: root)
        let popover = Popover(contentController: c)
        popover.show(in: window)
        c.present(stage.controller("D"))
        root.on["viewDidDisappear"] = once { c.dismiss() }
        window.hide()
        #expect(c.appearance.phase == .disappeared && c.view.superview === window)
        #expect(stage.events { window.makeVisible() }.suffix(2) == ["C.viewWillAppear", "C.viewDidAppear"])
        #expect(popover.window === window && c.view.superview === window)
    }

    @Test("the content is loaded, notified once, attached, laid out and notified again (3.4, 5.39)")
    func show() {
        let x = stage.controller("X")
        x.annotation = { $0.viewIfLoaded?.window == nil ? "" : " on window" }
        let view = LoggingView(stage.trace)
        x.loadViewStyle = .assigns
        x.makesView = { view }
        let popover = Popover(contentController: x)
        let window = stage.window(showing: stage.controller("A"))
        #expect(
            stage.events { popover.show(in: window) } == [
                "X.loadView", "X.viewDidLoad", "X.viewWillAppear", "layout", "backing", "X.viewDidAppear on window",
            ]
        )
        #expect(popover.window === window)
        #expect(window.subviews.last === view)
        #expect(stage.events { popover.show(in: window) }.isEmpty)
    }

    @Test("the content disappears, then is taken out, and when shown again it is not loaded again (5.39, 2.2)")
    func dismissAndShowAgain() {
        let x = stage.controller("X")
        let popover = Popover(contentController: x)
        let window = stage.window()
        popover.show(in: window)
        x.annotation = { $0.viewIfLoaded?.superview == nil ? "" : " in place" }
        #expect(stage.events { popover.dismiss() } == ["X.viewWillDisappear in place", "X.viewDidDisappear"])
        #expect(popover.window == nil)
        #expect(window.subviews.isEmpty)
        #expect(stage.events { popover.dismiss() }.isEmpty)
        #expect(stage.events { popover.show(in: window) } == ["X.viewWillAppear", "X.viewDidAppear in place"])
    }

    @Test("dismissed content that the program puts into a window returns there after a full-screen presentation (5.8)")
    func byHandAfterwards() {
        let x = stage.controller("X")
        let popover = Popover(contentController: x)
        let window = stage.window()
        popover.show(in: window)
        popover.dismiss()
        window.addSubview(x.view)
        x.present(stage.controller("P"), style: .fullScreen)
        #expect(x.view.superview == nil)
        x.dismiss()
        #expect(x.view.superview === window)
    }

    @Test("the window's controllers stay in service, and a dismissed content is unloaded at a warning (5.39, 4.7)")
    func warning() {
        let a = stage.controller("A")
        let x = stage.controller("X")
        let popover = Popover(contentController: x)
        let window = stage.window(showing: a)
        popover.show(in: window)
        #expect(stage.warn() == ["A.didReceiveMemoryWarning", "X.didReceiveMemoryWarning"])
        popover.dismiss()
        #expect(
            stage.warn() == [
                "A.didReceiveMemoryWarning", "X.didReceiveMemoryWarning", "X.viewWillUnload", "X.viewDidUnload",
            ]
        )
        #expect(stage.events { popover.show(in: window) } == ["X.loadView", "X.viewDidLoad"] + appearing)
    }

    @Test("the content disappears and returns with the window (5.39, 5.8)")
    func hiddenMeanwhile() {
        let x = stage.controller("X")
        let popover = Popover(contentController: x)
        let window = stage.window()
        popover.show(in: window)
        #expect(stage.events { window.hide() } == disappearing)
        #expect(stage.events { window.makeVisible() } == appearing)
        window.hide()
        #expect(stage.events { popover.dismiss() }.isEmpty)
        #expect(x.view.superview == nil)
        #expect(stage.events { window.makeVisible() }.isEmpty)
    }

    @Test("a window that is not visible shows no popover, and nothing is loaded (5.27)")
    func invisibleWindow() {
        let x = stage.controller("X")
        let popover = Popover(contentController: x)
        let window = Window(host: stage.host)
        #expect(stage.events { popover.show(in: window) } == ["fault:presenterNotInWindow"])
        #expect(popover.window == nil)
    }

    @Test("a popover is shown in one window at a time")
    func twoWindows() {
        let x = stage.controller("X")
        let popover = Popover(contentController: x)
        let window = stage.window()
        popover.show(in: window)
        #expect(stage.events { popover.show(in: stage.window()) } == ["fault:alreadyPresenting"])
        #expect(popover.window === window)
    }

    @Test("content with another owner is refused, and nothing is loaded (5.7)")
    func contentInUse() {
        let p = stage.controller("P")
        let c = stage.controller("C")
        let x = stage.controller("X")
        p.addChild(c)
        let window = stage.window(showing: p)
        let shown = Popover(contentController: x)
        shown.show(in: window)
        for content in [c, p, x] {
            let popover = Popover(contentController: content)
            #expect(stage.events { popover.show(in: window) } == ["fault:hierarchyInconsistency"])
            #expect(popover.window == nil)
        }
        #expect(!c.isViewLoaded)
        #expect(x.view.window === window)
    }

    @Test("content without a view is not shown (2.8)")
    func contentWithoutView() {
        let x = stage.controller("X", loadView: .assignsNothing)
        let popover = Popover(contentController: x)
        let window = stage.window()
        #expect(
            stage.events { popover.show(in: window) } == [
                "X.loadView", "fault:loadViewDidNotAssignView", "X.viewDidLoad",
            ]
        )
        #expect(popover.window == nil)
    }

    @Test("no parent, window, presenter or other popover takes the content of a shown popover (5.39)")
    func takenOver() {
        let p = stage.controller("P")
        let x = stage.controller("X")
        let stack = NavigationController(host: stage.host)
        let window = stage.window(showing: p)
        let other = stage.window()
        let popover = Popover(contentController: x)
        popover.show(in: window)
        let takings: [() -> Void] = [
            { p.addChild(x) }, { stack.push(x) }, { p.present(x) }, { other.rootViewController = x },
            { Popover(contentController: x).show(in: other) },
        ]
        for take in takings { #expect(stage.events(take) == ["fault:hierarchyInconsistency"]) }
        #expect(x.view.superview === window)

        popover.dismiss()
        p.addChild(x)
        #expect(x.parent === p)
    }

    @Test("no parent takes content that is covered, and it returns after the presentation (5.39)")
    func takenOverWhilePresenting() {
        let p = stage.controller("P")
        let x = stage.controller("X")
        let window = stage.window(showing: p)
        let popover = Popover(contentController: x)
        popover.show(in: window)
        x.present(stage.controller("M"))
        #expect(x.view.superview == nil)
        #expect(stage.events { p.addChild(x) } == ["fault:hierarchyInconsistency"])
        x.dismiss()
        #expect(x.view.superview === window)
    }

    @Test("a destroyed window ends all presentations over a popover's content, which is no longer covered (5.41)")
    func windowGoesAway() {
        let x = stage.controller("X")
        let m = stage.controller("M")
        let n = stage.controller("N")
        let popover = Popover(contentController: x)
        var window: Window? = stage.window()
        window.map(popover.show(in:))
        x.present(m)
        m.present(n)
        #expect(stage.events { window = nil }.isEmpty)
        #expect(x.presentedViewController == nil)
        #expect(m.presentedViewController == nil)
        let other = stage.window()
        #expect(stage.events { popover.show(in: other) } == appearing)
    }

    @Test("a destroyed popover ends the presentations over its content without callbacks (5.39, 5.41)")
    func goesAwayWhilePresenting() {
        let x = stage.controller("X")
        let m = stage.controller("M")
        let window = stage.window()
        var popover: Popover? = Popover(contentController: x)
        popover?.show(in: window)
        x.present(m)
        #expect(stage.events { popover = nil }.isEmpty)
        #expect(window.subviews.isEmpty)
        #expect(x.presentedViewController == nil)
        let again = Popover(contentController: x)
        #expect(stage.events { again.show(in: window) } == appearing)
    }

    @Test("the content's presentations are dismissed with it (5.26)")
    func presentation() {
        let x = stage.controller("X")
        let m = stage.controller("M")
        let popover = Popover(contentController: x)
        let window = stage.window()
        popover.show(in: window)
        x.present(m, style: .overlay)
        #expect(
            stage.events { popover.dismiss() } == ["M.viewWillDisappear", "M.viewDidDisappear"] + disappearing
        )
        #expect(window.subviews.isEmpty)
        #expect(x.presentedViewController == nil)
    }

    @Test("content whose view was moved to another place is left there (5.8)")
    func viewMoved() {
        let p = stage.controller("P")
        let x = stage.controller("X")
        let popover = Popover(contentController: x)
        let window = stage.window(showing: p)
        popover.show(in: window)
        p.view.addSubview(x.view)
        #expect(stage.events { popover.dismiss() }.isEmpty)
        #expect(x.view.superview === p.view)
        #expect(popover.window == nil)
    }

    @Test("content that hides the window while it loads never appears")
    func hideWhileLoading() {
        let x = stage.controller("X")
        let popover = Popover(contentController: x)
        let window = stage.window()
        x.on["viewDidLoad"] = { [unowned window] _ in window.hide() }
        #expect(stage.events { popover.show(in: window) } == ["X.loadView", "X.viewDidLoad"])
        #expect(popover.window == nil)
    }

    @Test("content that dismisses the popover while it loads never appears")
    func dismissWhileLoading() {
        let x = stage.controller("X")
        let popover = Popover(contentController: x)
        x.on["viewDidLoad"] = { [unowned popover] _ in popover.dismiss() }
        let window = stage.window()
        #expect(stage.events { popover.show(in: window) } == ["X.loadView", "X.viewDidLoad"])
        #expect(x.view.superview == nil)
    }

    @Test("content that dismisses the popover or hides the window while it appears is removed again (3.17)")
    func dismissWhileAppearing() {
        let x = stage.controller("X")
        _ = x.view
        let popover = Popover(contentController: x)
        let window = stage.window()
        let turnedRound = ["X.viewWillAppear"] + disappearing
        x.on["viewWillAppear"] = { [unowned popover] _ in popover.dismiss() }
        #expect(stage.events { popover.show(in: window) } == turnedRound)
        #expect(x.view.superview == nil)
        x.on["viewWillAppear"] = { [unowned window] _ in window.hide() }
        #expect(stage.events { popover.show(in: window) } == turnedRound)
        #expect(x.view.superview == nil)
        #expect(popover.window == nil)
    }

    @Test("content that lost its view disappears nevertheless, and may be shown again while it disappears")
    func viewLost() {
        let x = stage.controller("X")
        let popover = Popover(contentController: x)
        let window = stage.window()
        popover.show(in: window)
        x.view = nil
        #expect(stage.events { popover.dismiss() } == disappearing)

        popover.show(in: window)
        x.view = nil
        x.on["viewWillDisappear"] = { [unowned popover] _ in popover.show(in: window) }
        #expect(
            stage.events { popover.dismiss() } == ["X.viewWillDisappear", "X.loadView", "X.viewDidLoad"] + appearing
        )
        #expect(popover.window === window)
        #expect(x.view.window === window)
    }

    @Test("a destroyed popover removes the view without callbacks (6.4)")
    func deinitWhileShown() {
        let x = stage.controller("X")
        var popover: Popover? = Popover(contentController: x)
        let window = stage.window()
        popover?.show(in: window)
        #expect(stage.events { popover = nil }.isEmpty)
        #expect(window.subviews.isEmpty)
        let next = Popover(contentController: x)
        #expect(stage.events { next.show(in: window) } == appearing)
    }

    @Test("the window keeps neither popover nor content, and they do not keep the window (5.33)")
    func leaksNothing() {
        weak var content: RecordingController?
        weak var view: View?
        weak var gone: Window?
        do {
            var popover: Popover? = Popover(contentController: stage.controller("X"))
            var window: Window? = stage.window()
            if let window { popover?.show(in: window) }
            content = popover?.contentController as? RecordingController
            (view, gone) = (content?.view, window)
            #expect(content != nil && view != nil && gone != nil)
            window = nil
            #expect(gone == nil)
            #expect(popover?.window == nil)
            popover = nil
        }
        #expect(content == nil)
        #expect(view == nil)
    }

    @Test("content that presents in its own viewDidAppear returns into the popover, which is shown all the time (5.39)")
    func presentsWhileItAppears() {
        let x = stage.controller("X")
        let y = stage.controller("Y")
        x.on["viewDidAppear"] = { $0.present(y, style: .fullScreen) }
        let popover = Popover(contentController: x)
        let window = stage.window()
        popover.show(in: window)
        #expect(popover.window === window)
        #expect(y.view.window === window)
        x.on = [:]
        y.dismiss()
        #expect(x.view.window === window)
        #expect(stage.events { popover.dismiss() } == disappearing)
    }

    @Test("a controller that the content presents while the popover is dismissed is dismissed too (5.39, 3.24)")
    func presentsWhileItLeaves() {
        let x = stage.controller("X")
        let y = stage.controller("Y")
        let popover = Popover(contentController: x)
        let window = stage.window()
        popover.show(in: window)
        x.on["viewWillDisappear"] = { $0.children.first?.present(y, style: .fullScreen) }
        let child = stage.controller("C")
        x.addChild(child)
        x.view.addSubview(child.view)
        popover.dismiss()
        #expect(y.presentingViewController == nil)
        #expect(x.viewIfLoaded?.window == nil)
        #expect(window.subviews.isEmpty)
    }

    @Test("content is free only after its popover has been dismissed with all that it presents (5.39)")
    func takenWhileDismissed() {
        let (x, y) = (stage.controller("X"), stage.controller("Y"))
        let popover = Popover(contentController: x)
        let window = stage.window()
        popover.show(in: window)
        x.present(y)
        let stack = NavigationController(host: stage.host)
        y.on["viewWillDisappear"] = { _ in stack.push(x) }
        #expect(stage.events { popover.dismiss() }.contains("fault:hierarchyInconsistency"))
        #expect(x.parent == nil && y.presentingViewController == nil && window.subviews.isEmpty)
        stack.push(x)
        #expect(x.parent === stack)
    }

    @Test("content that hides its window in viewDidAppear disappears with it, and returns with it (5.39)")
    func hidesItsWindow() {
        let x = stage.controller("X")
        let popover = Popover(contentController: x)
        let window = stage.window()
        x.on["viewDidAppear"] = { [unowned window] x in
            x.on = [:]
            window.hide()
        }
        #expect(
            stage.events { popover.show(in: window) } == ["X.loadView", "X.viewDidLoad"] + appearing + disappearing
        )
        #expect(stage.events { window.makeVisible() } == appearing)
    }

    @Test("a window that a callback shows again while it is being hidden does not notify the other popovers (3.24)")
    func shownWhileHiding() {
        let window = stage.window()
        let x = stage.controller("X")
        let y = stage.controller("Y")
        let popovers = [x, y].map { Popover(contentController: $0) }
        for popover in popovers { popover.show(in: window) }
        x.on["viewWillDisappear"] = { [unowned window] _ in window.makeVisible() }
        #expect(stage.events { window.hide() } == ["X.viewWillDisappear"] + appearing)
        x.on = [:]
        #expect(window.isVisible)
        #expect(
            stage.events { window.hide() } == [
                "X.viewWillDisappear", "Y.viewWillDisappear", "X.viewDidDisappear", "Y.viewDidDisappear",
            ]
        )
        withExtendedLifetime(popovers) {}
    }
}

private final class LoggingView: View {
    private let trace: Trace

    init(_ trace: Trace) {
        self.trace = trace
        super.init()
    }

    override func layoutSubviews() { trace.record("layout") }

    override func makeBacking() -> Any? {
        trace.record("backing")
        return 0
    }
}
