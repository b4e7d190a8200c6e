import ResourceManager
import TestSupport

/// A host to which random things happen, from outside and from inside callbacks, three deep.
///
/// What has to be shown, told and alive is worked out from the rules (`docs/RULES.md`), with the public interface alone.
final class Walk {
    enum Operation: String, CaseIterable {
        case push, pop, popToRoot, setStack, select, setTabs, present, overlay, dismiss, setRoot, dropRoot, hide, show
        case addChild, placeChild, removeChild, transition, warn, release, changeMode, make, restore, give
        case load, dropView
    }

    struct Held {
        weak var controller: (any Probed)?
    }

    let host: ControllerHost
    private(set) var failures: [String] = []
    private(set) var log: [String] = []
    /// How often an operation was called in a callback.
    private(set) var pairs: [String: Int] = [:]
    private(set) var triples: [String: Int] = [:]
    private(set) var operations = 0
    private(set) var refusals = 0
    private(set) var completions = 0
    private var expectedCompletions = 0
    private var generator: SeededGenerator
    private var all: [Held] = []
    private var kept: [any Probed] = []
    private var windows: [Window] = []
    private var living: Set<Int> = []
    private var lastID = 0
    private var callbacks: [Callback] = []
    private var isWarning = false
    /// What a full-screen presentation covers, by the presented controller.
    private var covered: [Int: Int] = [:]
    private var faults = 0
    /// Whose view the walk has taken away (2.12): what lies in it is exempt until it is in service again.
    private(set) var exemptions = 0
    let isReentrant: Bool

    init(seed: UInt64, policy: ReleasePolicy, isReentrant: Bool) {
        generator = SeededGenerator(seed: seed)
        self.isReentrant = isReentrant
        host = ControllerHost("walk", options: .init(policy: policy))
        host.faultHandling = .record { [weak self] fault in
            self?.faults += 1
            self?.refusals += 1
            self?.note("  fault:\(fault)")
        }
        for _ in 0..<2 { windows.append(Window(host: host)) }
        for _ in 0..<4 { keep(make()) }
        for window in windows {
            window.rootViewController = make(1)
            window.makeVisible()
        }
    }

    // MARK: What probes say

    func nextID() -> Int {
        lastID += 1
        return lastID
    }

    func noteBirth(_ id: Int) { living.insert(id) }
    func noteDeath(_ id: Int) { living.remove(id) }
    func note(_ line: @autoclosure () -> String) {
        if log.count > 4_000 { log.removeFirst(2_000) }
        log.append(String(repeating: "  ", count: callbacks.count) + line())
    }
    func fail(_ what: String) {
        if failures.isEmpty {
            note("!! " + what)
            failures.append(what)
        }
    }

    /// A presentation begins: what it covers is the presenter's outermost parent (5.23), or nothing (5.25).
    func noteCover(by id: Int, from presenter: ViewController, _ style: PresentationStyle) {
        var outermost = presenter
        while let parent = outermost.parent { outermost = parent }
        covered[id] = style == .fullScreen ? (outermost as? any Probed)?.probe.id : nil
    }

    /// Perhaps calls an operation in a callback.
    func interrupt(in callback: Callback) {
        guard isReentrant, callbacks.count < 3, failures.isEmpty, chance(9) else { return }
        callbacks.append(callback)
        if callbacks.count == 3 {
            triples[callbacks.map(\.rawValue).joined(separator: ">"), default: 0] += 1
        }
        step()
        callbacks.removeLast()
    }

    // MARK: Choosing

    private func chance(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &generator) == 0 }

    private var alive: [any Probed] { all.compactMap(\.controller) }

    private func any() -> any Probed {
        let alive = alive
        return alive.isEmpty ? make() : alive[Int.random(in: 0..<alive.count, using: &generator)]
    }

    private func any<T>(_ type: T.Type) -> T? { alive.compactMap { $0 as? T }.randomElement(using: &generator) }

    /// One that can be made a part of something, more often than not.
    private func free() -> any Probed {
        if alive.count > 60 { return any() }
        let free = alive.filter { $0.parent == nil && $0.presentingViewController == nil && !isRoot($0) }
        if let found = free.randomElement(using: &generator), !chance(4) { return found }
        return chance(2) ? any() : make()
    }

    private func isRoot(_ controller: ViewController) -> Bool {
        windows.contains { $0.rootViewController === controller }
    }

    @discardableResult
    private func make(_ kind: Int? = nil) -> any Probed {
        let made: any Probed
        switch kind ?? Int.random(in: 0..<5, using: &generator) {
        case 0: made = WalkedTabs(self, host: host)
        case 1: made = WalkedStack(self, host: host)
        default: made = WalkedController(self, host: host)
        }
        all.append(Held(controller: made))
        all.removeAll { $0.controller == nil }
        return made
    }

    private func keep(_ controller: any Probed) { if kept.count < 12 { kept.append(controller) } }

    private func isCustom(_ controller: ViewController) -> Bool { controller is WalkedController }

    private func name(_ controller: ViewController?) -> String {
        (controller as? any Probed).map { "\($0.probe.id)" } ?? "nil"
    }

    // MARK: Operations

    /// One operation.
    func step() {
        guard let operation = Operation.allCases.randomElement(using: &generator) else { return }
        operations += 1
        if let callback = callbacks.last { pairs["\(operation) in \(callback)", default: 0] += 1 }
        perform(operation)
    }

    private func perform(_ operation: Operation) {
        let window = windows[Int.random(in: 0..<windows.count, using: &generator)]
        switch operation {
        case .push:
            guard let stack = any(WalkedStack.self) else { return }
            let new = free()
            note("push \(name(new)) on \(name(stack))")
            stack.push(new)
        case .pop:
            guard let stack = any(WalkedStack.self) else { return }
            note("pop \(name(stack))")
            stack.pop()
        case .popToRoot:
            guard let stack = any(WalkedStack.self) else { return }
            note("popToRoot \(name(stack))")
            stack.popToRoot()
        case .setStack:
            guard let stack = any(WalkedStack.self) else { return }
            var new: [ViewController] = [free(), free()]
            if chance(2) { new = Array(stack.viewControllers.shuffled(using: &generator).prefix(2)) + new.prefix(1) }
            note("setStack \(name(stack)) \(new.map(name))")
            stack.setViewControllers(new)
        case .select:
            guard let tabs = any(WalkedTabs.self),
                let index = tabs.viewControllers.indices.randomElement(using: &generator)
            else { return }
            note("select \(index) in \(name(tabs))")
            tabs.selectedIndex = index
        case .setTabs:
            guard let tabs = any(WalkedTabs.self) else { return }
            let new: [ViewController] = [free()] + tabs.viewControllers.shuffled(using: &generator).prefix(2)
            note("setTabs \(name(tabs)) \(new.map(name))")
            tabs.setViewControllers(new)
        case .present, .overlay:
            let appeared = alive.filter { $0.probe.phase == .appeared && $0.presentedViewController == nil }
            let presenter = chance(6) ? any() : appeared.randomElement(using: &generator) ?? any()
            present(free(), from: presenter, operation == .present ? .fullScreen : .overlay)
        case .dismiss:
            let presenting = alive.filter { $0.presentedViewController != nil }
            let base = chance(6) ? any() : presenting.randomElement(using: &generator) ?? any()
            note("dismiss \(name(base))")
            let before = faults
            if base.presentedViewController != nil { expectedCompletions += 1 }
            let isExpected = base.presentedViewController != nil
            var isRefused = false
            base.dismiss { [weak self] in
                guard let self else { return }
                if !isExpected { self.expectedCompletions += 1 }
                self.completions += 1
                self.interrupt(in: .completion)
            }
            isRefused = faults > before && log.last?.contains("fault:tooManyOperations") == true
            if isRefused, isExpected { expectedCompletions -= 1 }
        case .setRoot:
            let new = free()
            note("root \(name(new))")
            window.rootViewController = new
        case .dropRoot:
            guard chance(3) else { return }
            note("root nil")
            window.rootViewController = nil
        case .hide:
            note("hide \(windows[0] === window ? 0 : 1)")
            window.hide()
        case .show:
            for window in windows where !chance(3) {
                note("show \(windows[0] === window ? 0 : 1)")
                window.makeVisible()
            }
        case .addChild, .give:
            guard let parent = any(WalkedController.self) else { return }
            let child = operation == .give ? any() : free()
            // A view that hangs somewhere is taken out first by what moves it; rule 5.8 would leave it there unheard.
            guard child !== parent, operation == .give || child.viewIfLoaded?.superview == nil else { return }
            if child.viewIfLoaded?.superview != nil, child.parent !== parent, child.parent is WalkedController {
                note("take out \(name(child))")
                child.viewIfLoaded?.removeFromSuperview()
            }
            note("addChild \(name(child)) to \(name(parent))")
            parent.addChild(child)
            if child.parent === parent { child.didMove(toParent: parent) }
        case .placeChild:
            guard let parent = any(WalkedController.self),
                let child = parent.children.randomElement(using: &generator)
            else { return }
            // What the program places in the middle of a transition is its own affair (5.8 to 5.10).
            let isAtRest = [parent.probe.phase, (child as? any Probed)?.probe.phase].allSatisfy {
                $0 == .appeared || $0 == .disappeared
            }
            guard isAtRest else { return }
            note("place \(name(child)) in \(name(parent))")
            guard let view = parent.view, let childView = child.view else { return }
            if child.parent === parent, parent.viewIfLoaded === view, child.viewIfLoaded === childView {
                view.addSubview(childView)
                // If a callback has taken the child away, its view is a bare one now (5.8).
                if child.parent !== parent, childView.superview === view { childView.removeFromSuperview() }
            }
        case .removeChild:
            let children = alive.filter { $0.parent != nil }
            guard let child = children.randomElement(using: &generator) else { return }
            note("remove \(name(child))")
            child.viewIfLoaded?.removeFromSuperview()
            child.removeFromParent()
            // A callback may have put it back before it left.
            if child.parent == nil, child.presentingViewController == nil, !isRoot(child) {
                child.viewIfLoaded?.removeFromSuperview()
            }
        case .transition:
            let parents = alive.compactMap { $0 as? WalkedController }.filter { $0.children.count > 1 }
            guard let parent = parents.randomElement(using: &generator) else { return }
            let old = parent.children.first { $0.viewIfLoaded?.superview != nil } ?? parent.children[0]
            let new = parent.children.first { $0.viewIfLoaded?.superview == nil } ?? parent.children[1]
            note("transition \(name(old)) to \(name(new)) in \(name(parent))")
            parent.transition(from: old, to: new) { [weak self] in self?.interrupt(in: .completion) }
        case .warn:
            guard !isWarning, host.currentWarning == nil else { return }
            note("warn")
            isWarning = true
            host.simulateMemoryWarning(.critical)
            isWarning = false
        case .release:
            guard let index = kept.indices.randomElement(using: &generator) else { return }
            note("release \(name(kept[index]))")
            let released = kept.remove(at: index)
            withExtendedLifetime(released) {}
        case .changeMode:
            note("mode")
            window.changeMode(to: chance(2) ? "a" : "b")
        case .make:
            let made = make()
            note("make \(name(made))")
            keep(made)
        case .restore:
            let controller = any()
            note("releaseView \(name(controller))")
            controller.releaseViewIfOffWindow()
        case .load:
            let controller = any()
            note("load \(name(controller))")
            controller.loadViewIfNeeded()
        case .dropView:
            let controller = any()
            guard callbacks.isEmpty, controller.viewIfLoaded?.window == nil else { return }
            guard controller.viewIfLoaded?.superview == nil else { return }
            note("view = nil of \(name(controller))")
            exemptions += 1
            controller.view = nil
        }
    }

    private func present(_ new: any Probed, from presenter: any Probed, _ style: PresentationStyle) {
        note("present \(name(new)) from \(name(presenter)) \(style)")
        presenter.present(new, style: style) { [weak self] in
            self?.interrupt(in: .completion)
        }
    }
}

// MARK: - What has to hold

extension Walk {
    /// Compares everything with the rules, between operations.
    func check() {
        var shown: [ObjectIdentifier: View] = [:]
        for (index, window) in windows.enumerated() {
            let layers = layers(of: window)
            for layer in layers where window.isVisible {
                guard let view = layer.viewIfLoaded else {
                    fail("\(name(layer)) is shown by window \(index) and has no view")
                    continue
                }
                if view.superview !== window { fail("\(name(layer)) is not in its window \(index)") }
                collect(layer, in: view, into: &shown)
            }
            let expected = window.isVisible ? layers.count : 0
            if window.subviews.count != expected {
                fail("window \(index) has \(window.subviews.count) views and shows \(expected)")
            }
        }
        for controller in alive {
            let id = ObjectIdentifier(controller)
            let isShown = shown[id] != nil
            if isShown != (controller.probe.phase == .appeared) {
                fail("\(controller.probe.id) is \(controller.probe.phase), and \(isShown ? "" : "not ")shown")
            }
            if (controller.viewIfLoaded?.window != nil) != isShown {
                fail("\(controller.probe.id) is \(isShown ? "shown off" : "not shown and on") window")
            }
            checkLinks(of: controller)
        }
        checkLiving()
        if completions != expectedCompletions { fail("\(completions) completions, expected \(expectedCompletions)") }
    }

    private func layers(of window: Window) -> [ViewController] {
        guard let root = window.rootViewController else { return [] }
        let all = [root] + presented(in: root)
        return all.filter { layer in !all.contains { covered(by: $0) == (layer as? any Probed)?.probe.id } }
    }

    private func covered(by controller: ViewController) -> Int? {
        guard let id = (controller as? any Probed)?.probe.id, controller.presentingViewController != nil else {
            return nil
        }
        return covered[id]
    }

    private func presented(in controller: ViewController) -> [ViewController] {
        var all: [ViewController] = []
        if let presented = controller.presentedViewController { all += [presented] + self.presented(in: presented) }
        for child in controller.children { all += presented(in: child) }
        return all
    }

    /// What is in service where a controller is.
    private func collect(_ controller: ViewController, in place: View, into shown: inout [ObjectIdentifier: View]) {
        guard let view = controller.viewIfLoaded else { return }
        shown[ObjectIdentifier(controller)] = view
        var inside: [ViewController] = []
        if let stack = controller as? WalkedStack {
            inside = [stack.topViewController].compactMap(\.self)
        } else if let tabs = controller as? WalkedTabs {
            inside = [tabs.selectedViewController].compactMap(\.self)
        } else {
            // What the program has placed.
            inside = controller.children.filter { $0.viewIfLoaded?.superview === view }
        }
        if view.subviews.count != inside.count {
            fail("\(name(controller)) has \(view.subviews.count) views and shows \(inside.count)")
        }
        for child in inside {
            guard let childView = child.viewIfLoaded, childView.superview === view else {
                fail("\(name(child)) is not in its container \(name(controller))")
                continue
            }
            collect(child, in: view, into: &shown)
        }
    }

    private func checkLinks(of controller: any Probed) {
        for child in controller.children where child.parent !== controller {
            fail("\(name(child)) does not know its parent")
        }
        if let parent = controller.parent, !parent.children.contains(where: { $0 === controller }) {
            fail("\(controller.probe.id) is not its parent's child")
        }
        if let stack = controller as? WalkedStack, !stack.viewControllers.elementsEqual(stack.children, by: ===) {
            fail("\(controller.probe.id) is a stack that is not its children")
        }
        if let tabs = controller as? WalkedTabs, !tabs.viewControllers.elementsEqual(tabs.children, by: ===) {
            fail("\(controller.probe.id) has tabs that are not its children")
        }
        if let presented = controller.presentedViewController, presented.presentingViewController !== controller {
            fail("\(name(presented)) does not know its presenter")
        }
    }

    /// Those live that something keeps (6.1, 6.2), and no others.
    private func checkLiving() {
        var reached: Set<Int> = []
        func reach(_ controller: ViewController) {
            guard let id = (controller as? any Probed)?.probe.id, reached.insert(id).inserted else { return }
            for child in controller.children { reach(child) }
            if let presented = controller.presentedViewController { reach(presented) }
        }
        for window in windows { if let root = window.rootViewController { reach(root) } }
        for controller in kept { reach(controller) }
        if living != reached {
            fail("alive \(living.subtracting(reached).sorted()), dead \(reached.subtracting(living).sorted())")
        }
    }

    /// Lets go of everything.
    func end() {
        kept = []
        for window in windows { window.rootViewController = nil }
        windows = []
    }
}
