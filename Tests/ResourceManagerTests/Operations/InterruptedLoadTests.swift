import Testing

@testable import ResourceManager

/// What callbacks do with views while a loadView runs.
@Suite(.onTwoThreads)
struct InterruptedLoadTests {
    let stage = Stage()

    @Test("a view that its loadView puts on window before it assigns it appears after the load (3.2)")
    func placedBeforeAssigned() {
        let window = stage.window()
        let a = stage.controller("A", loadView: .assigns)
        a.makesView = {
            let view = View()
            window.addSubview(view)
            return view
        }
        a.loadViewIfNeeded()
        #expect(a.view.window === window && a.appearance.phase == .appeared)
        a.view.removeFromSuperview()
        #expect(a.appearance.phase == .disappeared)
    }

    @Test("a container that puts its view into the window while it loads appears afterwards, with its child (3.2)")
    func placesItselfWhileItLoads() {
        let child = stage.controller("A")
        let container = SelfPlaced(host: stage.host, viewControllers: [child])
        let window = stage.window()
        container.window = window
        #expect(
            stage.events { container.loadViewIfNeeded() } == [
                "A.loadView", "A.viewDidLoad", "A.viewWillAppear", "A.viewDidAppear",
            ]
        )
        #expect(child.view.window === window)
    }

    @Test("a root that puts its view into the window while it loads appears afterwards, with its child (3.2, 3.24)")
    func rootPlacesItselfWhileItLoads() {
        let child = stage.controller("A")
        let container = SelfPlaced(host: stage.host, viewControllers: [child])
        let window = stage.window()
        container.window = window
        window.rootViewController = container
        #expect(window.subviews.count == 1 && child.view.window === window)
        #expect(child.appearance.phase == .appeared)
    }

    @Test("a child that puts its view into its container's view while it loads appears afterwards (3.2, 5.10)")
    func childPlacesItselfWhileItLoads() {
        let container = stage.controller("C")
        let child = stage.controller("A")
        let window = stage.window(showing: container)
        container.addChild(child)
        child.on["loadView"] = { [unowned container] in container.view.addSubview($0.view) }
        #expect(
            stage.events { child.loadViewIfNeeded() } == [
                "A.loadView", "A.viewDidLoad", "A.viewWillAppear", "A.viewDidAppear",
            ]
        )
        #expect(child.view.window === window)
    }

    @Test("a child whose loadView brings its container into service is put into it after the load (3.2, 3.24)")
    func containerComesInDuringTheLoad() {
        let (a, b) = (stage.controller("A"), stage.controller("B"))
        let stack = NavigationController(host: stage.host, viewControllers: [a])
        let window = stage.window(showing: stack)
        b.on["viewDidLoad"] = { #expect($0.view.superview == nil) }
        b.on["loadView"] = { [unowned window] b in
            b.on["loadView"] = nil
            window.hide()
            window.makeVisible()
        }
        stack.push(b)
        #expect(b.view.window === window && b.appearance.phase == .appeared)
        #expect(a.view.superview == nil && a.appearance.phase == .disappeared)
    }

    @Test("a view that returns to its former place returns after its load (3.2, 5.14)")
    func formerPlaceComesInDuringTheLoad() {
        let (container, a) = (stage.controller("C"), stage.controller("A"))
        let window = stage.window(showing: container)
        container.addChild(a)
        container.view.addSubview(a.view)
        window.hide()
        a.releaseViewIfOffWindow()
        a.on["viewDidLoad"] = { #expect($0.view.superview == nil) }
        a.on["loadView"] = { [unowned window] _ in window.makeVisible() }
        #expect(
            stage.events { a.loadViewIfNeeded() } == [
                "A.loadView", "C.viewWillAppear", "C.viewDidAppear", "A.viewDidLoad", "A.viewWillAppear",
                "A.viewDidAppear",
            ]
        )
        #expect(a.view.superview === container.view && a.appearance.phase == .appeared)
    }

    @Test("a child that its loadView exchanges for another takes that one's place after the load (3.2, 5.11)")
    func exchangedDuringTheLoad() {
        let (container, a, b) = (stage.controller("C"), stage.controller("A"), stage.controller("B"))
        for child in [a, b] { container.addChild(child) }
        container.view.addSubview(a.view)
        b.on["viewDidLoad"] = { #expect($0.view.superview == nil) }
        b.on["loadView"] = { [unowned container] in container.transition(from: a, to: $0) }
        b.loadViewIfNeeded()
        #expect(b.view.superview === container.view && a.view.superview == nil)
        #expect(stage.host.viewControllers.allSatisfy { $0.appearance.phase == .disappeared })
    }
}

/// A stack that puts its view into a window itself.
private final class SelfPlaced: NavigationController {
    weak var window: Window?

    override func loadView() {
        view = View()
        window?.addSubview(view)
    }
}
