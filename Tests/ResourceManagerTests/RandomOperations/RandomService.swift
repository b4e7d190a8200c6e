import TestSupport

@testable import ResourceManager

/// A host with containers and a window, on which random operations run.
final class RandomService {
    let watch = WatchedController.Watch()
    let host: ControllerHost
    /// The operations so far, which help to understand a violation.
    private(set) var log: [String] = []
    private var generator: SeededGenerator
    private var controllers: [WatchedController] = []
    private let navigations: [NavigationController]
    private let tabs: TabController
    private var windows: [Window]
    private var made = 0

    /// Makes a service with some controllers; `isReentrant` also runs operations in callbacks of other operations.
    init(seed: UInt64, policy: ReleasePolicy, isReentrant: Bool) {
        let host = Reclaimer().use { ControllerHost("random", options: .init(policy: policy)) }
        self.host = host
        generator = SeededGenerator(seed: seed)
        navigations = (0..<2).map { _ in NavigationController(host: host) }
        tabs = TabController(host: host)
        windows = [Window(host: host), Window(host: host)]
        host.faultHandling = .record { [weak self] in self?.log.append("  fault:\($0)") }
        for _ in 0..<6 { make() }
        tabs.setViewControllers([navigations[0], controllers[0]])
        navigations[0].push(controllers[1])
        windows[0].rootViewController = tabs
        windows[1].rootViewController = navigations[1]
        for window in windows { window.makeVisible() }
        if isReentrant {
            watch.onCallback = { [weak self] controller in self?.interrupt(controller) }
        }
    }

    private var isInterrupting = false

    /// Runs one operation in one of many callbacks, but never inside itself.
    private func interrupt(_ controller: WatchedController) {
        guard !isInterrupting, !watch.isWarning, chance(12) else { return }
        isInterrupting = true
        log.append("  in a callback of \(controller.name):")
        step()
        log.append("  back")
        isInterrupting = false
    }

    private func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &generator) == 0 }

    private func make() {
        made += 1
        controllers.append(WatchedController("\(made)", host: host, watch: watch))
    }

    private var any: WatchedController {
        if controllers.isEmpty { make() }
        return controllers[Int.random(in: 0..<controllers.count, using: &generator)]
    }

    private var navigation: NavigationController { navigations[Int.random(in: 0..<2, using: &generator)] }
    private var window: Window { windows[Int.random(in: 0..<2, using: &generator)] }

    /// Runs one operation, of any kind that a program may call at any time.
    func step() {
        switch Int.random(in: 0..<22, using: &generator) {
        case 0, 1, 2: push()
        case 3, 4:
            let stack = navigation
            log.append("pop \(name(stack))")
            stack.pop()
        case 5:
            let stack = navigation
            log.append("popToRoot \(name(stack))")
            stack.popToRoot()
        case 6: setStack()
        case 7: select()
        case 8:
            let chosen = [navigations[0], any, any]
            log.append("tabs \(chosen.map(name))")
            tabs.setViewControllers(chosen)
        case 9, 10:
            let presenter = any
            let presented = any
            let style: PresentationStyle = chance(2) ? .fullScreen : .overlay
            log.append("present \(name(presenter)) \(name(presented)) \(style)")
            presenter.present(presented, style: style)
        case 11, 12:
            let controller = any
            log.append("dismiss \(name(controller))")
            controller.dismiss()
        case 13: addChild()
        case 14: removeChild()
        case 15:
            let old = any
            let new = any
            guard let parent = old.parent else { return }
            log.append("transition \(name(parent)) \(name(old)) \(name(new))")
            if !(parent is NavigationController), !(parent is TabController) { parent.transition(from: old, to: new) }
        case 16:
            let window = window
            log.append("hide \(windows[0] === window ? 0 : 1)")
            window.hide()
        case 17:
            let window = window
            log.append("show \(windows[0] === window ? 0 : 1)")
            window.makeVisible()
        case 18: setRoot()
        case 19: window.changeMode(to: chance(2) ? "a" : "b")
        case 20: window.resize(to: Budget(bytes: Int.random(in: 0...4, using: &generator)))
        default: changeGraph()
        }
        warnSometimes()
    }

    private func name(_ controller: ViewController) -> String {
        if let watched = controller as? WatchedController { return watched.name }
        return controller === tabs ? "T" : controller === navigations[0] ? "N0" : "N1"
    }

    private func push() {
        let stack = navigation
        let controller = any
        log.append("push \(name(stack)) \(name(controller))")
        stack.push(controller)
    }

    private func setStack() {
        let stack = navigation
        let chosen = Set((0..<3).map { _ in ObjectIdentifier(any) })
        let controllers = controllers.filter { chosen.contains(ObjectIdentifier($0)) }
        log.append("setStack \(name(stack)) \(controllers.map(name))")
        stack.setViewControllers(controllers)
    }

    private func select() {
        guard let index = tabs.viewControllers.indices.randomElement(using: &generator) else { return }
        log.append("select \(index)")
        tabs.selectedIndex = index
    }

    private func addChild() {
        let parent = any
        let child = any
        let isShown = chance(2)
        // A program would first remove a view that has a superview. Otherwise rule 5.8 leaves the view there without callbacks.
        guard child.viewIfLoaded?.superview == nil else { return }
        log.append("addChild \(name(parent)) \(name(child)) \(isShown)")
        parent.addChild(child)
        guard child.parent === parent else { return }
        child.didMove(toParent: parent)
        if isShown { parent.view.addSubview(child.view) }
    }

    private func removeChild() {
        let child = any
        guard let parent = child.parent, !(parent is NavigationController), !(parent is TabController) else { return }
        log.append("removeChild \(name(child))")
        child.willMove(toParent: nil)
        child.viewIfLoaded?.removeFromSuperview()
        child.removeFromParent()
    }

    private func setRoot() {
        let window = window
        let root = chance(2) ? any : windows[0] === window ? tabs : navigations[1]
        log.append("root \(windows[0] === window ? 0 : 1) \(name(root))")
        window.rootViewController = root
    }

    private func changeGraph() {
        if chance(2) || controllers.count < 4 {
            make()
        } else if chance(3) {
            let controller = any
            guard controller.viewIfLoaded?.window == nil else { return }
            log.append("setView \(controller.name) nil")
            controller.view = nil
        } else {
            let released = any
            log.append("release \(released.name)")
            controllers.removeAll { $0 === released }
        }
    }

    private func warnSometimes() {
        guard chance(4), host.currentWarning == nil else { return }
        let loaded = controllers.filter(\.isViewLoaded)
        let onWindow = controllers.filter { $0.viewIfLoaded?.window != nil }
        log.append("warn")
        watch.isWarning = true
        host.simulateMemoryWarning(.critical)
        watch.isWarning = false
        if controllers.contains(where: { controller in
            controller.isViewLoaded && !loaded.contains { $0 === controller }
        }) {
            watch.violations.append("a warning loaded a view")
        }
        if onWindow.contains(where: { $0.viewIfLoaded?.window == nil }) {
            watch.violations.append("a warning took something off window")
        }
    }

    /// Checks the conditions that must hold between operations.
    func check() {
        for controller in controllers { controller.checkAtRest() }
        let all: [ViewController] = controllers + navigations + [tabs]
        for controller in all {
            for child in controller.children where child.parent !== controller {
                watch.violations.append("a child that does not know its parent")
            }
            if Set(controller.children.map(ObjectIdentifier.init)).count != controller.children.count {
                watch.violations.append("a child twice")
            }
            if let parent = controller.parent, !parent.children.contains(where: { $0 === controller }) {
                watch.violations.append("a parent that does not know its child")
            }
            if let view = controller.viewIfLoaded, view.controller !== controller {
                watch.violations.append("a view that does not know its controller")
            }
            if let presented = controller.presentedViewController, presented.presenter !== controller {
                watch.violations.append("a presented controller that does not know its presenter")
            }
            if let superview = controller.viewIfLoaded?.superview,
                superview.subviews.filter({ $0 === controller.viewIfLoaded }).count != 1
            {
                watch.violations.append("a view that its superview does not know")
            }
        }
        for stack in navigations where !zip(stack.viewControllers, stack.children).allSatisfy({ $0 === $1 }) {
            watch.violations.append("a stack that is not its children")
        }
    }

    /// Releases everything, in a random order.
    func end() {
        controllers = []
        for window in windows { window.rootViewController = nil }
        for navigation in navigations { navigation.setViewControllers([]) }
        tabs.setViewControllers([])
        windows = []
    }
}
