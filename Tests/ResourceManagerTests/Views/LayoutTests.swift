import ResourceManager
import Testing

@Suite(.onTwoThreads)
struct LayoutTests {
    let stage = Stage()

    private func recording(_ name: String) -> RecordingController {
        let controller = stage.controller(name)
        controller.recordsLayout = true
        return controller
    }

    /// Views that divide a view's budget in equal parts.
    private func shards(_ count: Int, in view: View) -> [View] {
        (0..<count).map { _ in
            let shard = View()
            shard.share = BudgetShare()
            view.addSubview(shard)
            return shard
        }
    }

    @Test("a view is laid out between its attachment and viewDidAppear, with its budget (3.4, 5.13)")
    func firstLayout() {
        let a = recording("A")
        let window = Window(host: stage.host)
        window.resize(to: Budget(bytes: 100, slots: 2))
        window.rootViewController = a
        var budgets: [Budget] = []
        a.on["viewWillAppear"] = { budgets.append($0.view.budget) }
        a.on["viewWillLayoutSubviews"] = { budgets.append($0.view.budget) }
        #expect(
            stage.events { window.makeVisible() } == [
                "A.loadView", "A.viewDidLoad", "A.viewWillAppear", "A.viewWillLayoutSubviews",
                "A.viewDidLayoutSubviews", "A.viewDidAppear",
            ]
        )
        #expect(budgets == [.zero, Budget(bytes: 100, slots: 2)])
    }

    @Test("a budget without its reserve is divided by the shares, and passed down through all levels")
    func division() {
        let a = recording("A")
        let shards = [View(), View()]
        let cache = View()
        let whole = View()
        for shard in shards { shard.share = BudgetShare() }
        cache.share = BudgetShare(bytes: .init(maximum: 10))
        a.view.reserve = Budget(bytes: 20)
        for view in shards + [cache, whole] { a.view.addSubview(view) }
        let inner = View()
        whole.addSubview(inner)
        let window = stage.window()
        window.resize(to: Budget(bytes: 100))
        window.rootViewController = a
        #expect(shards.map(\.budget.bytes) == [35, 35])
        #expect(cache.budget.bytes == 10)
        #expect(whole.budget.bytes == 80)
        #expect(inner.budget.bytes == 80)

        #expect(
            stage.events { window.resize(to: Budget(bytes: 60)) } == [
                "A.viewWillLayoutSubviews", "A.viewDidLayoutSubviews",
            ]
        )
        #expect(shards.map(\.budget.bytes) == [15, 15])
        shards[0].removeFromSuperview()
        #expect(shards[1].budget.bytes == 30)
        a.view.addSubview(shards[0])
        #expect(shards.map(\.budget.bytes) == [15, 15])
        shards[0].share = BudgetShare(bytes: .init(weight: 2))
        #expect(shards.map(\.budget.bytes) == [15, 15])
        a.view.layoutIfNeeded()
        #expect(shards.map(\.budget.bytes) == [20, 10])
    }

    @Test("the budget of a view that leaves in a layout pass is divided when the call around the pass ends")
    func shareLeavingInPass() {
        let a = recording("A")
        let shards = self.shards(2, in: a.view)
        a.on["viewDidLayoutSubviews"] = { controller in
            controller.on = [:]
            shards[0].removeFromSuperview()
        }
        let window = stage.window()
        window.resize(to: Budget(bytes: 100))
        #expect(
            stage.events { window.rootViewController = a }.filter { $0 == "A.viewDidLayoutSubviews" }.count == 2
        )
        #expect(shards[1].budget.bytes == 100)
    }

    @Test("the budget of a view that its superview takes out in a layout pass is divided when the resize ends")
    func shareTakenOutInPass() {
        let root = TakingView()
        let a = stage.controller("A", loadView: .assigns)
        a.makesView = { root }
        let shards = self.shards(2, in: root)
        let window = stage.window(showing: a)
        root.taken = shards[0]
        window.resize(to: Budget(bytes: 100))
        #expect(shards[0].superview == nil && shards[1].budget.bytes == 100)
    }

    @Test("the budget of a view that leaves in the last pass of a call is divided too", arguments: [false, true])
    func shareLeavingInLastPass(isExplicit: Bool) {
        let a = recording("A")
        let shards = self.shards(3, in: a.view)
        let window = stage.window()
        window.resize(to: Budget(bytes: 100))
        window.rootViewController = a
        a.on["viewDidLayoutSubviews"] = { controller in
            controller.on = [:]
            shards[0].removeFromSuperview()
        }
        if isExplicit {
            a.view.setNeedsLayout()
            a.view.layoutIfNeeded()
        } else {
            shards[1].removeFromSuperview()
        }
        #expect(shards[2].budget.bytes == (isExplicit ? 50 : 100))
    }

    @Test("a loadView that puts a common superview on window has the view beside it laid out before its own (3.2, 3.4)")
    func loadBesideAnother() {
        let (a, b) = (recording("A"), recording("B"))
        let frame = View()
        frame.addSubview(a.view)
        let window = stage.window()
        window.resize(to: Budget(bytes: 100))
        b.on["loadView"] = { b in
            frame.addSubview(b.view)
            window.addSubview(frame)
        }
        #expect(
            stage.events { b.loadViewIfNeeded() }.filter { $0.contains("viewDidL") } == [
                "A.viewDidLayoutSubviews", "B.viewDidLoad", "B.viewDidLayoutSubviews",
            ]
        )
        #expect([a, b].map(\.view.budget.bytes) == [100, 100])
    }

    @Test("a view that comes on window in its loadView with what it lies in is laid out after the load (3.4, 5.8)")
    func loadInsideAnother() {
        let (d, c) = (stage.controller("D"), recording("C"))
        d.loadViewIfNeeded()
        let window = stage.window()
        c.loadViewStyle = .assigns
        c.makesView = { BackedView() }
        c.on["loadView"] = { c in
            d.view.addSubview(c.view)
            window.addSubview(d.view)
        }
        let events = stage.events { c.loadViewIfNeeded() }
        #expect(events.suffix(2) == ["C.viewWillLayoutSubviews", "C.viewDidLayoutSubviews"])
        #expect(c.view.budget == window.budget && c.view.backing != nil)
    }

    @Test("a view that its own loadView puts into a container that forwards itself is laid out after the load (5.9)")
    func loadInManualContainer() {
        let (p, c) = (stage.controller("P"), recording("C"))
        p.forwards = false
        p.addChild(c)
        let window = stage.window(showing: p)
        c.on["loadView"] = { p.view.addSubview($0.view) }
        #expect(
            stage.events { c.loadViewIfNeeded() } == [
                "C.loadView", "C.viewDidLoad", "C.viewWillLayoutSubviews", "C.viewDidLayoutSubviews",
            ]
        )
        #expect(c.view.budget == window.budget)
    }

    @Test("a view that is added later also gets the budget without the reserve")
    func reserve() {
        let a = recording("A")
        a.view.reserve = Budget(bytes: 10)
        let window = stage.window()
        window.resize(to: Budget(bytes: 100))
        window.rootViewController = a
        let view = View()
        a.view.addSubview(view)
        #expect(view.budget.bytes == 90)
    }

    @Test("a view that a layout removes is not laid out any more")
    func takenOutInLayout() {
        final class Counting: View {
            var layouts = 0
            var then: () -> Void = {}
            override func layoutSubviews() {
                super.layoutSubviews()
                layouts += 1
                then()
            }
        }
        let a = recording("A")
        let window = stage.window(showing: a)
        let (first, second) = (Counting(), Counting())
        a.view.addSubview(first)
        a.view.addSubview(second)
        let before = second.layouts
        first.then = { second.removeFromSuperview() }
        window.resize(to: Budget(bytes: 1))
        #expect(second.superview == nil && second.layouts == before)
    }

    @Test("an override of layoutSubviews may set any budgets")
    func ownDivision() {
        final class Halves: View {
            override func layoutSubviews() {
                for subview in subviews { subview.budget.bytes = budget.bytes / 2 }
            }
        }
        let a = recording("A")
        let part = View()
        a.loadViewStyle = .assigns
        a.makesView = {
            let halves = Halves()
            halves.addSubview(part)
            return halves
        }
        let window = stage.window()
        window.resize(to: Budget(bytes: 100))
        window.rootViewController = a
        #expect(part.budget.bytes == 50)
    }

    @Test("layout runs only if it is needed, and several requests cause one pass (3.6)")
    func onlyIfNeeded() {
        let a = recording("A")
        let window = stage.window(showing: a)
        let pass = ["A.viewWillLayoutSubviews", "A.viewDidLayoutSubviews"]
        #expect(stage.events { a.view.layoutIfNeeded() }.isEmpty)
        #expect(
            stage.events {
                a.view.setNeedsLayout()
                a.view.setNeedsLayout()
            }.isEmpty
        )
        #expect(stage.events { window.layoutIfNeeded() } == pass)
        #expect(stage.events { window.resize(to: window.budget) }.isEmpty)
    }

    @Test("off window nothing is laid out, and changes made meanwhile take effect on return (3.6, 5.13)")
    func offWindow() {
        let a = recording("A")
        a.view.setNeedsLayout()
        #expect(stage.events { a.view.layoutIfNeeded() }.isEmpty)
        let window = stage.window(showing: a)
        window.hide()
        #expect(stage.events { window.resize(to: Budget(bytes: 1)) }.isEmpty)
        #expect(
            stage.events { window.makeVisible() } == [
                "A.viewWillAppear", "A.viewWillLayoutSubviews", "A.viewDidLayoutSubviews", "A.viewDidAppear",
            ]
        )
        window.hide()
        #expect(stage.events { window.makeVisible() } == ["A.viewWillAppear", "A.viewDidAppear"])
    }

    @Test("a view that is put into another one off window is not laid out there (3.6)")
    func putIntoAnotherOffWindow() {
        let a = recording("A")
        let place = View()
        _ = a.view
        #expect(stage.events { place.addSubview(a.view) }.isEmpty)
    }

    @Test("a child's pass runs inside its parent's pass (3.7)")
    func nested() {
        let p = recording("P")
        let c = recording("C")
        p.addChild(c)
        p.view.addSubview(c.view)
        let window = stage.window(showing: p)
        #expect(
            stage.events { window.resize(to: Budget(bytes: 1)) } == [
                "P.viewWillLayoutSubviews", "C.viewWillLayoutSubviews", "C.viewDidLayoutSubviews",
                "P.viewDidLayoutSubviews",
            ]
        )
    }

    @Test("a view that the program puts into the window gets its budget once, and the window does not resize it")
    func bareView() {
        let window = stage.window()
        window.resize(to: Budget(bytes: 8))
        let view = View()
        window.addSubview(view)
        #expect(view.budget.bytes == 8)
        window.resize(to: Budget(bytes: 4))
        #expect(view.budget.bytes == 8)
    }
}

/// A view that takes another one out in its layout pass.
private final class TakingView: View {
    weak var taken: View?

    override func layoutSubviews() {
        super.layoutSubviews()
        taken?.removeFromSuperview()
    }
}

private final class BackedView: View {
    override func makeBacking() -> Any? { 1 }
}
