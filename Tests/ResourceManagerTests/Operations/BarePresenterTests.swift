import Testing

@testable import ResourceManager

/// Presentations by controllers without an owner, whose views the program or a popover has put into a window, and callbacks
/// that move these views.
@Suite(.onTwoThreads)
struct BarePresenterTests {
    private let stage = Stage()

    @Test(
        "a presentation over a view that the program added begins with its window if a callback hid that (3.24, 5.23)",
        arguments: [PresentationStyle.fullScreen, .overlay],
        [false, true]
    )
    func hiddenOverBare(style: PresentationStyle, isPopover: Bool) {
        let window = stage.window()
        let (c, x) = (stage.controller("C"), stage.controller("X"))
        let popover = put(c, into: window, asPopover: isPopover)
        x.on["viewWillAppear"] = { x in
            x.on = [:]
            window.hide()
        }
        c.present(x, style: style)
        #expect(x.viewIfLoaded?.window == nil)
        window.makeVisible()
        #expect(c.presentedViewController === x && x.viewIfLoaded?.window === window)
        #expect((c.viewIfLoaded?.window == nil) == (style == .fullScreen))
        x.dismiss()
        #expect(c.viewIfLoaded?.window === window && x.viewIfLoaded?.window == nil)
        withExtendedLifetime(popover) {}
    }

    @Test(
        "a presenter that the program added stays in its window if a callback hides that and dismisses (3.24, 5.24)",
        arguments: ["C.viewWillDisappear", "X.viewWillAppear", "X.viewDidAppear"],
        [false, true]
    )
    func dismissedWhileHidden(callback: String, isPopover: Bool) {
        let window = stage.window()
        let (c, x) = (stage.controller("C"), stage.controller("X"))
        let popover = put(c, into: window, asPopover: isPopover)
        let controller = callback.hasPrefix("C") ? c : x
        controller.on[String(callback.dropFirst(2))] = { controller in
            controller.on = [:]
            window.hide()
            c.dismiss()
        }
        c.present(x)
        window.makeVisible()
        #expect(c.presentedViewController == nil)
        #expect(c.viewIfLoaded?.window === window && c.appearance.phase == .appeared)
        #expect(x.viewIfLoaded?.window == nil)
        withExtendedLifetime(popover) {}
    }

    @Test(
        "a presenter that the program added stays in its window if a callback cancels before it is covered (3.24, 5.24)",
        arguments: ["X.loadView", "X.viewDidLoad", "child"],
        [false, true]
    )
    func cancelledOverBare(callback: String, isPopover: Bool) {
        let window = stage.window()
        let (c, child, x) = (stage.controller("C"), stage.controller("D"), stage.controller("X"))
        c.addChild(child)
        c.view.addSubview(child.view)
        let popover = put(c, into: window, asPopover: isPopover)
        if callback == "child" {
            x.on["viewDidLoad"] = once { child.removeFromParent() }
        } else {
            x.on[String(callback.dropFirst(2))] = once { child.dismiss() }
        }
        #expect(stage.events { child.present(x) }.allSatisfy { !$0.hasPrefix("C.") })
        #expect(c.viewIfLoaded?.window === window && c.appearance.phase == .appeared)
        #expect(child.presentedViewController == nil && x.viewIfLoaded?.window == nil)
        withExtendedLifetime(popover) {}
    }

    @Test("a presented controller presents in its window, wherever the program puts the presenter (5.8, 5.27)")
    func presenterMoved() {
        let (first, second) = (stage.window(), stage.window())
        let (c, x, y) = (stage.controller("C"), stage.controller("X"), stage.controller("Y"))
        first.addSubview(c.view)
        c.present(x, style: .overlay)
        second.addSubview(c.view)
        #expect(stage.events { x.present(y) }.contains("Y.viewDidAppear"))
        #expect(y.viewIfLoaded?.window === first && x.viewIfLoaded?.window == nil)
        y.dismiss()
        #expect(x.viewIfLoaded?.window === first && c.viewIfLoaded?.window === second)
    }

    @Test(
        "a presenter that a callback of the dismissal puts elsewhere, or takes out, stays there (3.24, 5.24)",
        arguments: ["C.viewWillAppear", "X.viewWillDisappear", "X.viewDidDisappear", "C.viewDidAppear"],
        [false, true]
    )
    func presenterMovedInDismissal(callback: String, isTakenOut: Bool) {
        let (first, second) = (stage.window(), stage.window())
        let (c, x) = (stage.controller("C"), stage.controller("X"))
        first.addSubview(c.view)
        c.present(x)
        (callback.hasPrefix("C") ? c : x).on[String(callback.dropFirst(2))] = once {
            if isTakenOut { c.view.removeFromSuperview() } else { second.addSubview(c.view) }
        }
        x.dismiss()
        #expect(x.viewIfLoaded?.superview == nil && x.appearance.phase == .disappeared)
        // A view in no place is not taken out.
        let isIn = !isTakenOut || callback == "X.viewWillDisappear" || callback == "C.viewWillAppear"
        #expect(c.viewIfLoaded?.superview === (isTakenOut ? (isIn ? first : nil) : second))
        #expect(c.appearance.phase == (isIn ? .appeared : .disappeared))
    }

    enum Target: CaseIterable { case same, other, box }

    @Test(
        "a presenter that a callback puts into a place before it is covered returns there (5.8, 5.24)",
        arguments: ["X.loadView", "X.viewDidLoad", "C.viewWillDisappear", "X.viewWillAppear", "X.viewDidAppear"],
        Target.allCases
    )
    func presenterMovedBeforeItIsCovered(callback: String, target: Target) {
        let (first, second, box) = (stage.window(), stage.window(), View())
        let (c, x) = (stage.controller("C"), stage.controller("X"))
        first.addSubview(c.view)
        second.addSubview(box)
        let place = target == .same ? first : target == .other ? second : box
        (callback.hasPrefix("C") ? c : x).on[String(callback.dropFirst(2))] = once { place.addSubview(c.view) }
        c.present(x)
        #expect(c.appearance.phase == .disappeared && c.viewIfLoaded?.superview == nil)
        x.dismiss()
        #expect(c.appearance.phase == .appeared && c.viewIfLoaded?.superview === place)
        let window = target == .same ? first : second
        window.hide()
        #expect(c.appearance.phase == .disappeared)
        window.makeVisible()
        #expect(c.appearance.phase == .appeared && c.viewIfLoaded?.superview === place)
    }

    @Test("a presenter without an owner that presents again as it returns is returned again (5.8, 5.24)")
    func presentsAsItReturns() {
        let window = stage.window()
        let (c, x, y) = (stage.controller("C"), stage.controller("X"), stage.controller("Y"))
        window.addSubview(c.view)
        c.present(x)
        c.on["viewDidAppear"] = once { c.present(y) }
        x.dismiss()
        #expect(y.viewIfLoaded?.window === window && c.viewIfLoaded?.superview == nil)
        y.dismiss()
        #expect(c.viewIfLoaded?.superview === window && c.appearance.phase == .appeared)
    }

    @Test(
        "a presenter without an owner whose window a callback hides as it returns is in that window (5.8, 5.24)",
        arguments: ["X.viewWillDisappear", "C.viewWillAppear", "C.viewDidAppear", "X.viewDidDisappear"],
        [false, true]
    )
    func hiddenAsItReturns(callback: String, isPopover: Bool) {
        let window = stage.window()
        let (c, x) = (stage.controller("C"), stage.controller("X"))
        let popover = put(c, into: window, asPopover: isPopover)
        c.present(x)
        (callback.hasPrefix("C") ? c : x).on[String(callback.dropFirst(2))] = once { window.hide() }
        x.dismiss()
        #expect(c.viewIfLoaded?.superview === window && c.appearance.phase == .disappeared)
        window.makeVisible()
        #expect(c.appearance.phase == .appeared && window.subviews.count == 1)
        withExtendedLifetime(popover) {}
    }

    @Test("former content of a popover returns to the window into which the program has put it (5.24, 5.39)")
    func formerContentReturns() {
        let (c, x) = (stage.controller("C"), stage.controller("X"))
        let popover = Popover(contentController: c)
        popover.show(in: stage.window())
        let window = stage.window()
        window.addSubview(c.view)
        c.present(x)
        window.hide()
        c.dismiss()
        window.makeVisible()
        #expect(c.viewIfLoaded?.superview === window && c.appearance.phase == .appeared)
        withExtendedLifetime(popover) {}
    }

    /// Puts a controller into a window as a program does, without an owner; a popover has to be kept.
    private func put(_ controller: ViewController, into window: Window, asPopover isPopover: Bool) -> Popover? {
        guard isPopover else {
            window.addSubview(controller.view)
            return nil
        }
        let popover = Popover(contentController: controller)
        popover.show(in: window)
        return popover
    }

    @Test("a presenter without an owner stays if callbacks of its tree end all presentations that cover it (3.24, 5.8)")
    func bothPresentationsEndAsItLeaves() {
        let (p, c) = (stage.controller("P"), stage.controller("C"))
        let (x, y) = (stage.controller("X"), stage.controller("Y"))
        let window = stage.window()
        p.addChild(c)
        p.view.addSubview(c.view)
        window.addSubview(p.view)
        x.on["loadView"] = once { c.present(y) }
        p.on["viewWillDisappear"] = once { p.dismiss() }
        c.on["viewWillDisappear"] = once { c.dismiss() }
        p.present(x)
        #expect(p.presentedViewController == nil && c.presentedViewController == nil)
        #expect(p.view.superview === window && p.appearance.phase == .appeared && c.appearance.phase == .appeared)
    }
}
