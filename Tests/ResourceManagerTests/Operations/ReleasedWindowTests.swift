import Testing

@testable import ResourceManager

/// Windows that end while their contents move into another window.
@Suite(.onTwoThreads)
struct ReleasedWindowTests {
    private let stage = Stage()

    /// A window that gives away its contents in its deinit.
    private final class GivingWindow: Window {
        var give: () -> Void = {}

        deinit { give() }
    }

    @Test("a window takes nothing with it that its deinit gives to another window (5.41)", arguments: [false, true])
    func givenByADeinit(isRoot: Bool) {
        let (window, c, child) = (stage.window(), stage.controller("C"), stage.controller("A"))
        c.addChild(child)
        c.view.addSubview(child.view)
        var former: GivingWindow? = GivingWindow(host: stage.host)
        if isRoot { former?.rootViewController = c } else { former?.addSubview(c.view) }
        former?.makeVisible()
        former?.give = { if isRoot { window.rootViewController = c } else { window.addSubview(c.view) } }
        let events = stage.events { former = nil }
        // The child is told the same as its container.
        let own = events.filter { $0.hasPrefix("C.") }.map { $0.dropFirst(2) }
        #expect(own == events.filter { $0.hasPrefix("A.") }.map { $0.dropFirst(2) })
        for controller in [c, child] {
            #expect(controller.viewIfLoaded?.window === window && controller.appearance.phase == .appeared)
        }
        window.hide()
        #expect(c.appearance.phase == .disappeared && child.appearance.phase == .disappeared)
        window.makeVisible()
        #expect(c.viewIfLoaded?.superview === window && c.appearance.phase == .appeared)
    }

    @Test(
        "a child whose view was dropped leaves service with its container's window (2.12, 5.41)",
        arguments: [false, true]
    )
    func droppedViewInAReleasedWindow(isReadAgain: Bool) {
        let (c, stack) = (stage.controller("C"), NavigationController(host: stage.host))
        c.addChild(stack)
        do {
            let window = stage.window(showing: c)
            c.view.addSubview(stack.view)
            stack.view = nil
            if isReadAgain { stack.loadViewIfNeeded() }
            withExtendedLifetime(window) {}
        }
        #expect(c.appearance.phase == .disappeared && stack.appearance.phase == .disappeared)
        let a = stage.controller("A")
        #expect(stage.events { stack.push(a) } == ["A.willMove(nil)", "A.didMove(nil)"])
    }

    @Test("a covered presenter appears in its new place if a callback releases its former window (3.17, 5.41)")
    func formerWindowOfACoveredTreeReleased() {
        let window = stage.window()
        var former: Window? = stage.window()
        let (c, x) = (stage.controller("C"), stage.controller("X"))
        former?.addSubview(c.view)
        c.present(x)
        c.on["viewWillAppear"] = once { former = nil }
        window.addSubview(c.view)
        #expect(former == nil && c.viewIfLoaded?.superview === window && c.appearance.phase == .appeared)
        #expect(x.appearance.phase == .disappeared && c.presentedViewController == nil)
    }

    enum Owner: CaseIterable { case none, root, stack, overlay, fullScreen }

    @Test(
        "a view appears in its new place if a callback releases the window from which it comes (3.17, 5.41)",
        arguments: Owner.allCases
    )
    func formerWindowReleased(owner: Owner) {
        let (base, stack) = (stage.controller("B"), NavigationController(host: stage.host))
        let window = stage.window(showing: owner == .stack ? stack : base)
        var former: Window? = Window(host: stage.host)
        let c = stage.controller("C", on: ["viewWillAppear": once { former = nil }])
        former?.addSubview(c.view)
        let events = stage.events {
            switch owner {
            case .none: window.addSubview(c.view)
            case .root: window.rootViewController = c
            case .stack: stack.push(c)
            case .overlay: base.present(c, style: .overlay)
            case .fullScreen: base.present(c)
            }
        }
        #expect(former == nil && c.viewIfLoaded?.window === window)
        let own = events.filter { $0.hasPrefix("C.view") && $0.hasSuffix("ppear") }
        #expect(own == ["C.viewWillAppear", "C.viewDidAppear"])
    }
}
