import Testing

@testable import ResourceManager

/// The last checks before a view or a child is put into its place.
struct LastCheckTests {
    private let stage = Stage()

    private func chain(_ length: Int) -> (top: View, bottom: View) {
        let top = View()
        var bottom = top
        for _ in 1..<length {
            let next = View()
            bottom.addSubview(next)
            bottom = next
        }
        return (top, bottom)
    }

    /// A window that shows a container a hundred views deep.
    private func window(showing container: ViewController) -> Window {
        let outer = stage.controller("O")
        let deep = chain(100)
        outer.addChild(container)
        outer.view.addSubview(deep.top)
        deep.bottom.addSubview(container.view)
        return stage.window(showing: outer)
    }

    @Test("a working set whose place is too deep for a child's views leaves them out, with a fault (5.42, 5.43)")
    func tooDeep() {
        let child = stage.controller("C")
        child.view = chain(200).top
        let set = WorkingSetController<Int, RecordingController>(host: stage.host, limit: 1)
        let window = window(showing: set)
        defer { withExtendedLifetime(window) {} }
        #expect(
            stage.events { _ = set.child(for: 1) { child } } == [
                "C.willMove(nil)", "C.didMove(nil)", "fault:hierarchyInconsistency",
            ]
        )
        #expect(child.view.superview == nil)
    }

    @Test("a stack whose place is too deep for a pushed controller's views leaves them out, with a fault (5.43)")
    func pushedTooDeep() {
        let stack = NavigationController(host: stage.host)
        let window = window(showing: stack)
        defer { withExtendedLifetime(window) {} }
        let child = stage.controller("C")
        child.view = chain(200).top
        #expect(
            stage.events { stack.push(child) } == [
                "C.willMove(nil)", "C.viewWillAppear", "fault:hierarchyInconsistency", "C.viewWillDisappear",
                "C.viewDidDisappear", "C.didMove(nil)",
            ]
        )
        #expect(child.view.superview == nil)
    }

    @Test("a controller that presents gets no parent before that has ended, and returns to its place (5.42)")
    func parentWhileCovered() {
        let (base, sheet, parent) = (stage.controller("B"), stage.controller("S"), stage.controller("P"))
        let window = stage.window()
        let box = View()
        window.addSubview(box)
        window.makeVisible()
        box.addSubview(base.view)
        base.present(sheet)
        sheet.on["viewWillDisappear"] = { _ in
            window.hide()
            parent.addChild(base)
        }
        #expect(
            stage.events { base.dismiss() } == [
                "S.viewWillDisappear", "S.viewDidDisappear", "fault:hierarchyInconsistency",
            ]
        )
        #expect(base.parent == nil && base.view.superview === box)
    }

    @Test("a container that is too deep in callbacks adopts no child of an archive (3.25)")
    func adoptedTooDeep() {
        let stack = NavigationController(host: stage.host)
        let child = stage.controller("C")
        let windows = (0..<20).map { _ in stage.window() }
        let roots = (0..<20).map { stage.controller("\($0)") }
        for (index, root) in roots.enumerated().dropLast() {
            root.on["viewWillAppear"] = { _ in
                if index == 15 {
                    stack.addArchivedChild(child)
                } else {
                    windows[index + 1].rootViewController = roots[index + 1]
                }
            }
        }
        let events = stage.events { windows[0].rootViewController = roots[0] }
        #expect(events.filter { $0.hasPrefix("fault") } == ["fault:tooManyOperations"])
        #expect(stack.viewControllers.isEmpty && child.parent == nil)
    }
}
