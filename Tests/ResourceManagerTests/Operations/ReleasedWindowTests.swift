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
        let (window, c) = (stage.window(), stage.controller("C"))
        do {
            let former = GivingWindow(host: stage.host)
            if isRoot { former.rootViewController = c } else { former.addSubview(c.view) }
            former.makeVisible()
            former.give = { if isRoot { window.rootViewController = c } else { window.addSubview(c.view) } }
        }
        #expect(c.viewIfLoaded?.superview === window && c.appearance.phase == .appeared)
        window.hide()
        #expect(c.appearance.phase == .disappeared)
        window.makeVisible()
        #expect(c.viewIfLoaded?.superview === window && c.appearance.phase == .appeared)
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
