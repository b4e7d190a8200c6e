import Testing

@testable import ResourceManager

/// The depth to which controllers and views may nest when both sides already contain others (5.42).
struct OwnershipTests {
    private let stage = Stage()
    /// How many are above the new one, and how many it consists of; and whether that is permitted.
    private static let lengths = [(200, 56, true), (200, 57, false), (100, 156, true), (100, 157, false)]

    /// Makes controllers that contain each other, the outermost first.
    private func containers(_ count: Int) -> [ViewController] {
        let all = (0..<count).map { _ in ViewController(host: stage.host) }
        for (child, parent) in zip(all, all.dropFirst()) { parent.addChild(child) }
        return all.reversed()
    }

    private func views(_ count: Int) -> [View] {
        let all = (0..<count).map { _ in View() }
        for (view, superview) in zip(all, all.dropFirst()) { superview.addSubview(view) }
        return all.reversed()
    }

    @Test("a view that would make the tree too deep, or that is a window, cannot become a controller's view (5.42)")
    func deepOrWindow() {
        func chain(_ length: Int) -> (top: View, bottom: View) {
            let top = View()
            var bottom = top
            for _ in 1..<length {
                let next = View()
                bottom.addSubview(next)
                bottom = next
            }
            return (top, bottom)
        }
        let stage = Stage()
        let (outer, c) = (chain(200), stage.controller("C"))
        let small = View()
        c.view = small
        outer.bottom.addSubview(small)
        #expect(stage.events { c.view = chain(200).top } == ["fault:hierarchyInconsistency"])
        #expect(stage.events { c.view = Window(host: stage.host) } == ["fault:hierarchyInconsistency"])
        #expect(c.view === small)
    }

    @Test("a view that contains the view of another container's child cannot become a controller's view (5.7)")
    func viewOfAnothersChild() {
        let (container, child, other) = (stage.controller("P"), stage.controller("C"), stage.controller("O"))
        let box = View()
        container.addChild(child)
        container.view.addSubview(box)
        box.addSubview(child.view)
        let window = stage.window(showing: container)
        #expect(stage.events { other.view = box } == ["fault:hierarchyInconsistency"])
        #expect(!other.isViewLoaded && child.view.window === window)
        #expect(stage.events { container.view = box }.isEmpty)
        #expect(container.view === box && child.view.superview === box)
    }

    @Test("a view without subviews that lies in a child's view cannot become the container's view (5.42)")
    func viewInAChildsView() {
        let (container, child) = (stage.controller("P"), stage.controller("C"))
        let leaf = View()
        container.addChild(child)
        child.view.addSubview(leaf)
        #expect(stage.events { container.view = leaf } == ["fault:hierarchyInconsistency"])
        #expect(!container.isViewLoaded && leaf.superview === child.view)
    }

    @Test("a new child counts with all controllers that it contains", arguments: lengths)
    func controllers(above: Int, below: Int, isTaken: Bool) {
        let (parents, children) = (containers(above), containers(below))
        #expect(parents[above - 1].canTake(children[0]) == isTaken)
        #expect(parents[above - 1].canOwn(children[0]) == isTaken)
    }

    @Test("a new child counts with the controllers that it presents, and its container with the presenters")
    func presented() {
        let root = ViewController(host: stage.host)
        let window = stage.window(showing: root)
        var last = root
        for _ in 1..<200 {
            let next = ViewController(host: stage.host)
            last.present(next, style: .overlay)
            last = next
        }
        #expect(last.canTake(containers(56)[0]))
        #expect(!last.canTake(containers(57)[0]))
        #expect(window.isVisible)
    }

    @Test("a view counts with all views in it", arguments: lengths)
    func views(above: Int, below: Int, isTaken: Bool) {
        // A view does not keep its superview.
        let above = views(above)
        #expect(above[above.count - 1].canTake(views(below)[0]) == isTaken)
        withExtendedLifetime(above) {}
    }

    @Test("only a controller without container, presenter and window is accepted")
    func free() {
        let (a, b, c) = (stage.controller("A"), stage.controller("B"), stage.controller("C"))
        #expect(a.canTake(b) && a.canOwn(b) && b.isFree)
        b.addChild(c)
        #expect(a.canTake(c) && !a.canOwn(c) && !c.isFree)
        let window = stage.window(showing: b)
        #expect(!a.canTake(b) && !b.isFree)
        let sheet = stage.controller("S")
        b.present(sheet)
        #expect(!a.canTake(sheet) && !sheet.isFree)
        #expect(window.isVisible)
    }

    @Test(
        "a controller that presents, itself or in a child, gets no owner until that ends (5.42)",
        arguments: PresentationStyle.allCases,
        [false, true]
    )
    func presenting(style: PresentationStyle, inChild: Bool) {
        let (root, bare, child) = (stage.controller("R"), stage.controller("B"), stage.controller("C"))
        bare.addChild(child)
        bare.view.addSubview(child.view)
        let stack = NavigationController(host: stage.host, viewControllers: [stage.controller("T")])
        let tabs = TabController(host: stage.host, viewControllers: [stage.controller("U")])
        for container in [stack, tabs] { root.addChild(container) }
        let (window, other) = (stage.window(showing: root), stage.window())
        window.addSubview(bare.view)
        let sheet = stage.controller("S")
        (inChild ? child : bare).present(sheet, style: style)
        bare.view.removeFromSuperview()

        let popover = Popover(contentController: bare)
        let attempts = [
            { stack.push(bare) }, { tabs.setViewControllers([bare]) }, { root.addChild(bare) },
            { root.present(bare, style: .overlay) }, { other.rootViewController = bare }, { popover.show(in: other) },
        ]
        for attempt in attempts { #expect(stage.events(attempt) == ["fault:hierarchyInconsistency"]) }
        #expect(bare.isFree && popover.window == nil && sheet.view.window === window)

        sheet.dismiss()
        bare.view.removeFromSuperview()
        other.rootViewController = bare
        #expect(bare.view.window === other)
    }

    @Test("a stack that is changing adopts no child of an archive (3.22)")
    func adoptedInAChange() {
        let (a, b, child) = (stage.controller("A"), stage.controller("B"), stage.controller("C"))
        let stack = NavigationController(host: stage.host, viewControllers: [a])
        let window = stage.window(showing: stack)
        b.on["viewWillAppear"] = { _ in stack.addArchivedChild(child) }
        let faults = stage.events { stack.push(b) }.filter { $0.hasPrefix("fault") }
        #expect(faults == ["fault:transitionInProgress"])
        #expect(child.parent == nil && stack.viewControllers.elementsEqual([a, b], by: ===) && window.isVisible)
    }

    @Test("a child of a container without a view can be given a view with subviews (5.42)")
    func viewOfAChildBeforeItsContainers() {
        let (container, child, view) = (stage.controller("P"), stage.controller("C"), View())
        container.addChild(child)
        view.addSubview(View())
        let events = stage.events { child.view = view }
        #expect(child.viewIfLoaded === view && !container.isViewLoaded && !events.contains { $0.hasPrefix("fault") })
    }
}
