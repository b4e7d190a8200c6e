import ResourceManager
import Testing

/// An operation that would close a ring, or nest too deeply, is refused before it changes anything.
@Suite(.onTwoThreads)
struct RingTests {
    let stage = Stage()

    @Test("a presented container does not take its presenter as a child (5.42)")
    func presenterAsChild() {
        let presenter = stage.controller("P")
        let root = NavigationController(host: stage.host, viewControllers: [presenter])
        let window = stage.window(showing: root)
        let sheet = NavigationController(host: stage.host, viewControllers: [stage.controller("F")])
        presenter.present(sheet, style: .overlay)
        #expect(
            stage.events {
                sheet.push(presenter)
                sheet.setViewControllers([presenter])
                sheet.addChild(presenter)
            } == [String](repeating: "fault:hierarchyInconsistency", count: 3)
        )
        #expect(presenter.parent === root && presenter.view.window === window)
        #expect(sheet.viewControllers.count == 1)
        sheet.dismiss()
        #expect(presenter.presentedViewController == nil)
    }

    @Test("a presented controller does not present its presenter (5.42)")
    func presentRing() {
        let window = stage.window(showing: stage.controller("R"))
        let content = stage.controller("C")
        let sheet = stage.controller("S")
        let popover = Popover(contentController: content)
        popover.show(in: window)
        content.present(sheet, style: .overlay)
        _ = stage.trace.take()
        #expect(stage.events { sheet.present(content, style: .overlay) } == ["fault:hierarchyInconsistency"])
        #expect(sheet.presentedViewController == nil)
        content.dismiss()
        #expect(window.subviews.count == 2)
    }

    @Test("a controller that was presented in a destroyed window is free, even to contain its presenter (5.41)")
    func rootRing() {
        let root = stage.controller("R")
        let sheet = NavigationController(host: stage.host, viewControllers: [stage.controller("F")])
        do {
            let window = stage.window(showing: root)
            root.present(sheet, style: .overlay)
            #expect(window.subviews.count == 2)
        }
        _ = stage.trace.take()
        #expect(stage.events { sheet.push(root) } == ["R.willMove(nil)", "R.didMove(nil)"])
        #expect(root.parent === sheet && root.presentedViewController == nil)
        #expect(stage.events { sheet.dismiss() } == ["fault:nothingToDismiss"])
    }

    @Test("a container's view does not go below its child's view (5.42)")
    func viewRing() {
        let child = stage.controller("C")
        let stack = NavigationController(host: stage.host, viewControllers: [child])
        _ = (child.view, stack.view)
        #expect(stage.events { child.view.addSubview(stack.view) } == ["fault:hierarchyInconsistency"])
        #expect(stack.view.superview == nil)
        let box = View()
        box.addSubview(stack.view)
        #expect(stage.events { child.view.addSubview(box) } == ["fault:hierarchyInconsistency"])
        let window = stage.window(showing: stack)
        #expect(child.view.superview === stack.view && child.view.window === window)
    }

    @Test("a controller whose view contains a container's view does not become its child, nor is it presented there")
    func viewRingByController() {
        let outer = stage.controller("O")
        let root = stage.controller("R")
        let window = stage.window()
        let stack = NavigationController(host: stage.host, viewControllers: [root])
        outer.view.addSubview(stack.view)
        _ = stage.trace.take()
        #expect(
            stage.events {
                stack.push(outer)
                root.addChild(outer)
            } == ["fault:hierarchyInconsistency", "fault:hierarchyInconsistency"]
        )
        #expect(outer.parent == nil && stack.viewControllers.count == 1)
        window.rootViewController = outer
        #expect(outer.view.window === window)
    }

    @Test("a view that contains the container's view is refused as its child's view (5.42)")
    func viewRingByAssignment() {
        let stack = NavigationController(host: stage.host)
        let child = stage.controller("C")
        stack.push(child)
        let box = View()
        box.addSubview(stack.view)
        _ = stage.trace.take()
        #expect(stage.events { child.view = box } == ["fault:hierarchyInconsistency"])
        #expect(!child.isViewLoaded)
    }

    /// The topmost of controllers that present each other, the first presented by this one.
    private func topmost(of count: Int, presentedBy first: ViewController) -> ViewController {
        var last = first
        for _ in 0..<count {
            let next = ViewController(host: stage.host)
            last.present(next, style: .overlay)
            last = next
        }
        return last
    }

    @Test("256 nested controllers are permitted, and no more (5.42)")
    func deepControllers() {
        let root = stage.controller("R")
        let window = stage.window(showing: root)
        let last = topmost(of: 255, presentedBy: root)
        #expect(last.view.window === window)
        _ = stage.trace.take()
        #expect(
            stage.events {
                last.present(ViewController(host: stage.host), style: .overlay)
                last.addChild(ViewController(host: stage.host))
            } == ["fault:hierarchyInconsistency", "fault:hierarchyInconsistency"]
        )
        root.dismiss()
        #expect(window.subviews.count == 1)

        let parent = ViewController(host: stage.host)
        parent.addChild(ViewController(host: stage.host))
        var top = parent
        for _ in 2..<256 {
            let next = ViewController(host: stage.host)
            next.addChild(top)
            top = next
        }
        #expect(stage.events { ViewController(host: stage.host).addChild(top) } == ["fault:hierarchyInconsistency"])
    }

    @Test("presentations count for the depth of a controller that moves to another parent (5.42)")
    func deepPresentations() {
        let root = stage.controller("R")
        let window = stage.window(showing: root)
        let child = ViewController(host: stage.host)
        root.addChild(child)
        root.view.addSubview(child.view)
        let last = topmost(of: 254, presentedBy: child)
        let (outer, inner) = (ViewController(host: stage.host), ViewController(host: stage.host))
        outer.addChild(inner)
        #expect(last.view.window === window)
        _ = stage.trace.take()
        #expect(stage.events { inner.addChild(child) } == ["fault:hierarchyInconsistency"])
        last.dismiss()
        #expect(stage.events { inner.addChild(child) }.allSatisfy { !$0.hasPrefix("fault") })
        #expect(child.parent === inner)
    }

    @Test("256 nested controllers with a view each are shown in a window (5.42)")
    func deepControllersInWindow() {
        let root = NavigationController(host: stage.host)
        var top = root
        for _ in 1..<256 {
            let next = NavigationController(host: stage.host)
            top.push(next)
            top = next
        }
        let window = Window(host: stage.host)
        window.rootViewController = root
        #expect(stage.events { window.makeVisible() }.allSatisfy { !$0.hasPrefix("fault") })
        #expect(root.view.window === window && top.viewIfLoaded?.window === window)
    }

    @Test("256 nested views are permitted, and no more (5.42)")
    func deepViews() {
        let controller = stage.controller("C")
        var last: View = controller.view
        for _ in 1..<256 {
            let next = View()
            last.addSubview(next)
            last = next
        }
        _ = stage.trace.take()
        #expect(stage.events { last.addSubview(View()) } == ["fault:hierarchyInconsistency"])
        #expect(last.subviews.isEmpty)
    }
}
