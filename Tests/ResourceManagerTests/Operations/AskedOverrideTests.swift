import Testing

@testable import ControllerWalk
@testable import ResourceManager

/// Overridden properties that call operations when the library asks for them: each is asked before anything is compared.
struct AskedOverrideTests {
    private let stage = Stage()

    /// A container that acts when it is asked the n-th question: whether it forwards appearances, or which child it shows.
    private final class AskedContainer: ViewController {
        var onLoad: () -> Void = {}
        private var questions = 0
        private var act: (question: Int, () -> Void)?
        override var shouldAutomaticallyForwardAppearanceMethods: Bool {
            count()
            return true
        }
        override var childForAppearance: ViewController? {
            count()
            return nil
        }
        override func loadView() {
            view = View()
            onLoad()
        }

        private func count() {
            questions += 1
            if questions == act?.question { act?.1() }
        }

        /// Acts at a question from now on, until the call has returned; returns whether there were that many questions.
        func act(at question: Int, _ act: @escaping () -> Void, during call: () -> Void) -> Bool {
            (questions, self.act) = (0, (question, act))
            call()
            self.act = nil
            return questions >= question
        }
    }

    @Test("a container that hides its window when it is asked whether it forwards leaves no child behind (3.24)")
    func hidesAsItForwards() {
        for question in 1..<20 {
            let container = AskedContainer(host: stage.host)
            let children = [stage.controller("A"), stage.controller("B")]
            for child in children {
                container.addChild(child)
                container.view.addSubview(child.view)
            }
            let window = Window(host: stage.host)
            window.rootViewController = container
            let isHidden = container.act(at: question, { window.hide() }, during: { window.makeVisible() })
            let phase: Appearance.Phase = isHidden ? .disappeared : .appeared
            #expect(([container] + children).allSatisfy { $0.appearance.phase == phase }, "at question \(question)")
        }
    }

    @Test("a child that appears after its load is on window whenever its container is asked a question (3.2, 3.3)")
    func staysAfterItsLoad() {
        for question in 1..<40 {
            let (base, old, new) = (stage.controller("R"), stage.controller("A"), stage.controller("B"))
            let container = AskedContainer(host: stage.host)
            for child in [old, new] {
                container.addChild(child)
                container.view.addSubview(child.view)
            }
            new.releaseViewIfOffWindow()
            let window = stage.window(showing: base)
            // The container comes into service while the load of the new child, which waits for its end, is under way.
            new.on["loadView"] = once { base.present(container, style: .overlay) }
            var isOnWindow = true
            let look = { isOnWindow = new.appearance.phase != .appeared || new.viewIfLoaded?.window === window }
            _ = container.act(at: question, look) { container.transition(from: old, to: new) }
            #expect(isOnWindow, "at question \(question)")
        }
    }

    @Test("tabs show the tab that their container adds when it is asked whether it forwards (3.24)")
    func fillsAsItForwards() {
        for question in 1..<20 {
            let container = AskedContainer(host: stage.host)
            let (tabs, new) = (TabController(host: stage.host), stage.controller("N"))
            container.addChild(tabs)
            let window = stage.window(showing: container)
            let isFilled = container.act(at: question) {
                tabs.setViewControllers([new])
            } during: {
                container.view.addSubview(tabs.view)
            }
            #expect(tabs.appearance.phase == .appeared && tabs.view.window === window)
            #expect(!isFilled || new.viewIfLoaded?.superview === tabs.view, "at question \(question)")
            #expect(!isFilled || new.appearance.phase == .appeared, "at question \(question)")
        }
    }

    @Test("a view that is released when its container is asked whether it forwards comes into service loaded (3.24)")
    func releasesAsItForwards() {
        for question in 1..<10 {
            let (container, child) = (AskedContainer(host: stage.host), stage.controller("A"))
            container.addChild(child)
            let window = stage.window(showing: container)
            let isReleased = container.act(at: question) {
                child.releaseViewIfOffWindow()
            } during: {
                container.view.addSubview(child.view)
            }
            #expect(isReleased || child.appearance.phase == .appeared)
            let isShown = child.viewIfLoaded?.window === window
            #expect(isShown == (child.appearance.phase == .appeared), "at question \(question)")
        }
    }

    @Test("a stack shows the controller that its top pushes as its view, dropped meanwhile, is loaded again (3.24)")
    func pushesAsItReturns() {
        for question in 1..<10 {
            let (top, new) = (AskedContainer(host: stage.host), stage.controller("N"))
            let stack = NavigationController(host: stage.host, viewControllers: [top])
            let window = stage.window(showing: stack)
            window.hide()
            let isPushed = top.act(at: question) {
                top.view = nil
                top.onLoad = { stack.push(new) }
            } during: {
                window.makeVisible()
            }
            #expect(isPushed || stack.topViewController === top)
            guard stack.topViewController === new else { continue }
            #expect(new.appearance.phase == .appeared && new.viewIfLoaded?.window === window, "at question \(question)")
        }
    }

    @Test("a transition that begins when the container is asked at the end of another one drains on (3.22, 3.24)")
    func exchangesAsItForwards() {
        for question in 1..<10 {
            let (container, drains) = (AskedContainer(host: stage.host), Drains())
            let (a, b) = (stage.controller("A"), stage.controller("B"))
            for child in [a, b] { container.addChild(child) }
            let window = stage.window(showing: container)
            container.view.addSubview(a.view)
            drains.begin("there", of: 0, holding: []) { await container.transition(from: a, to: b, drain: $0) }
            let hasReturned = container.act(at: question) {
                drains.begin("back", of: 0, holding: []) { await container.transition(from: b, to: a, drain: $0) }
            } during: {
                drains.end(0)
            }
            for child in [a, b] where child.appearance.phase == .disappeared {
                #expect(child.viewIfLoaded?.window == nil, "at question \(question)")
            }
            // Before the first one has ended, another one is refused.
            let isBack = hasReturned && !drains.pending.isEmpty
            if isBack { drains.end(0) }
            let shown = isBack ? a : b
            #expect(shown.appearance.phase == .appeared && shown.view.window === window)
            let other = shown === a ? b : a
            #expect(other.appearance.phase == .disappeared && other.viewIfLoaded?.window == nil)
        }
    }

    /// A container that begins a transition when it is asked whether it forwards appearances.
    private final class AnsweringContainer: ViewController {
        override var shouldAutomaticallyForwardAppearanceMethods: Bool {
            if children.count == 2 { transition(from: children[0], to: children[1]) }
            return true
        }
    }

    @Test("a transition in the answer whether the container forwards is refused beyond the bounds (3.25)")
    func transitionAsItForwards() {
        let container = AnsweringContainer(host: stage.host)
        for name in ["A", "B"] { container.addChild(stage.controller(name)) }
        let events = stage.events { container.transition(from: container.children[0], to: container.children[1]) }
        #expect(events.contains("fault:tooManyOperations"))
    }

    /// A view whose cost is asked once for an action.
    private final class AskedView: View {
        var act: (() -> Void)?
        override var cost: Int {
            get {
                let act = self.act
                self.act = nil
                act?()
                return super.cost
            }
            set { super.cost = newValue }
        }
    }

    @Test("a view whose cost is read in a warning may bring its controller back with another view (4.27)")
    func bringsBackAsItCounts() {
        let (root, child) = (stage.controller("R"), stage.controller("A", loadView: .assigns))
        root.addChild(child)
        let window = stage.window(showing: root)
        let view = AskedView()
        child.makesView = { view }
        child.loadViewIfNeeded()
        child.makesView = { View() }
        view.act = { [unowned root, unowned child] in
            child.view = nil
            root.view.addSubview(child.view)
        }
        _ = stage.warn()
        #expect(view.act == nil && child.viewIfLoaded?.window === window)
        #expect(child.appearance.phase == .appeared)
        window.hide()
        #expect(child.appearance.phase == .disappeared)
    }

    @Test("a container that removes a child when it is asked whether it forwards refuses the child's transition (5.11)")
    func removesAsItForwards() {
        let container = AskedContainer(host: stage.host)
        let (old, new) = (stage.controller("A"), stage.controller("B"))
        for child in [old, new] { container.addChild(child) }
        let window = stage.window(showing: container)
        container.view.addSubview(old.view)
        let events = stage.events {
            _ = container.act(at: 1) {
                new.removeFromParent()
            } during: {
                container.transition(from: old, to: new)
            }
        }
        #expect(events == ["B.didMove(nil)", "fault:notSiblings"])
        #expect(old.view.window === window && new.viewIfLoaded?.window == nil)
    }

    /// A controller that acts once when it is asked for the name of its class.
    private final class NamingController: ViewController {
        var act: (() -> Void)?
        override var className: String {
            let act = self.act
            self.act = nil
            act?()
            return super.className
        }
    }

    private struct NoArchives: ArchiveSource {
        func nib(named: String) throws -> NibArchive? { nil }
        func storyboard(named: String) throws -> StoryboardArchive? { nil }
    }

    @Test("a view that is assigned in the question for the class's name gives way to the outer call (2.12)")
    func assignsAsItIsNamed() {
        stage.host.archives = NoArchives()
        let controller = NamingController(host: stage.host)
        let window = stage.window(showing: controller)
        let (second, third) = (View(), View())
        controller.act = { controller.view = third }
        controller.view = second
        #expect(controller.act == nil && controller.view === second)
        #expect(window.subviews.elementsEqual([second], by: ===) && third.superview == nil && third.next == nil)
        controller.act = { controller.view = nil }
        controller.view = third
        #expect(controller.act == nil && controller.view === third)
        window.hide()
        #expect(controller.appearance.phase == .disappeared)
    }
}
