/// A stack of controllers of which the top one is shown: nested work, such as session, query, drill-down.
///
/// Only the top's view is in service. Those below keep theirs off window, where a memory warning may unload them, and
/// have them loaded again when they are uncovered (rules 5.15 to 5.20).
open class NavigationController: ViewController {
    /// The stack, the lowest first; a subset of ``ViewController/children`` in the middle of a change, else the same.
    public private(set) final var viewControllers: [ViewController] = []
    /// Hears what is shown; not kept alive.
    public final weak var delegate: (any NavigationControllerDelegate)?

    /// A stack of controllers, the lowest first.
    public convenience init(host: ControllerHost, viewControllers: [ViewController]) {
        self.init(host: host)
        setViewControllers(viewControllers)
    }

    /// The controller that is shown.
    public final var topViewController: ViewController? { viewControllers.last }

    /// The top.
    open override var childForAppearance: ViewController? { topViewController }

    /// Puts a controller on top and shows it.
    ///
    /// While the stack is not in service, nothing is loaded (rule 5.16). One that is on the stack already is
    /// ``ResourceFault/alreadyOnStack``; one that cannot be a child, ``ResourceFault/hierarchyInconsistency``.
    public final func push(_ controller: ViewController) {
        beginPush(controller)?.finish()
    }

    /// Puts a controller on top, giving the one that it covers time to finish its work (rule 3.22).
    ///
    /// Runs in the caller's isolation, which is the host's. The new top is attached and laid out before `drain` is
    /// called; the old one leaves the window when that returns. Meanwhile other changes of the stack are refused:
    /// ``ResourceFault/transitionInProgress``.
    public final nonisolated(nonsending) func push(
        _ controller: ViewController,
        drain: nonisolated(nonsending) () async -> Void
    ) async {
        guard let change = beginPush(controller) else { return }
        await drain()
        change.finish()
    }

    /// Takes the top off the stack and shows the one below it.
    ///
    /// - Returns: What was taken off; `nil` if it is the last one, which stays.
    @discardableResult
    public final func pop() -> ViewController? {
        guard viewControllers.count > 1 else { return nil }
        return setStack(viewControllers.dropLast()).last
    }

    /// Takes the top off the stack, giving it time to finish its work.
    ///
    /// Otherwise like ``push(_:drain:)``.
    @discardableResult
    public final nonisolated(nonsending) func pop(
        drain: nonisolated(nonsending) () async -> Void
    ) async -> ViewController? {
        guard viewControllers.count > 1, let change = beginChange(to: viewControllers.dropLast()) else { return nil }
        await drain()
        change.finish()
        return change.removed.last
    }

    /// Takes everything above a controller of the stack off; does nothing if it is not on the stack or is the top.
    ///
    /// - Returns: What was taken off, the lowest first.
    @discardableResult
    public final func pop(to controller: ViewController) -> [ViewController] {
        guard let index = viewControllers.firstIndex(where: { $0 === controller }) else { return [] }
        return setStack(viewControllers[...index])
    }

    /// Takes everything above the lowest controller off; does nothing if that is the top.
    ///
    /// - Returns: What was taken off, the lowest first.
    @discardableResult
    public final func popToRoot() -> [ViewController] {
        setStack(viewControllers.prefix(1))
    }

    /// Replaces the whole stack: at most one transition, from the old top to the new one (rule 5.18).
    ///
    /// The same controller twice is ``ResourceFault/alreadyOnStack``.
    public final func setViewControllers(_ controllers: [ViewController]) {
        setStack(controllers[...])
    }

    @discardableResult
    private func setStack(_ stack: ArraySlice<ViewController>) -> [ViewController] {
        guard stack.count != viewControllers.count || !zip(stack, viewControllers).allSatisfy({ $0 === $1 }) else {
            return []
        }
        guard let change = beginChange(to: stack) else { return [] }
        change.finish()
        return change.removed
    }

    private func beginPush(_ controller: ViewController) -> StackChange? {
        guard !viewControllers.contains(where: { $0 === controller }) else {
            host.report(.alreadyOnStack, by: self)
            return nil
        }
        return beginChange(to: viewControllers + [controller])
    }

    /// The half of a change before the did-callbacks, in the order of rules 5.16 to 5.18.
    private func beginChange(to stack: some Sequence<ViewController>) -> StackChange? {
        let stack = Array(stack)
        guard canExchange() else { return nil }
        guard Set(stack.map(ObjectIdentifier.init)).count == stack.count else {
            host.report(.alreadyOnStack, by: self)
            return nil
        }
        let old = viewControllers
        let oldTop = topViewController
        let added = stack.filter { new in !old.contains { $0 === new } }
        let removed = old.filter { gone in !stack.contains { $0 === gone } }
        isExchanging = true
        for controller in added { adopt(controller) }
        // What was refused, or taken elsewhere by its own callback, is not ours to show.
        viewControllers = stack.filter { $0.parent === self }
        // The top first, then from the bottom up (rule 5.17).
        let leavingTop = removed.filter { $0 === oldTop }
        for controller in leavingTop + removed.filter({ $0 !== oldTop }) { controller.announceWillMove(to: nil) }

        let newTop = topViewController
        var exchange: ChildExchange?
        if newTop !== oldTop {
            exchange = .begin(in: self, from: oldTop, to: newTop)
            if let newTop, newTop.appearance.isTowardsAppeared {
                delegate?.navigationController(self, willShow: newTop)
            }
        }
        return StackChange(stack: self, added: added, removed: removed, exchange: exchange)
    }

    /// A change of the stack between its two halves.
    private struct StackChange {
        let stack: NavigationController
        let added: [ViewController]
        let removed: [ViewController]
        let exchange: ChildExchange?

        func finish() {
            exchange?.finish()
            stack.isExchanging = false
            for controller in removed where controller.parent === stack { controller.removeFromParent() }
            stack.order(stack.viewControllers)
            for controller in added where controller.parent === stack { controller.announceDidMove(to: stack) }
            if exchange != nil, let top = stack.topViewController, top.appearance.phase == .appeared {
                stack.delegate?.navigationController(stack, didShow: top)
            }
            withExtendedLifetime(removed) {}
        }
    }

    final override func didLose(_ child: ViewController) {
        let wasTop = child === topViewController
        viewControllers.removeAll { $0 === child }
        if wasTop { replaceLost(child, by: topViewController) }
    }

    final override var isRestoringNewChildren: Bool { true }

    final override func restore(children: [ViewController], shown: Int?) {
        if !children.isEmpty { setViewControllers(children) }
    }

    final override func addArchivedChild(_ child: ViewController) {
        push(child)
    }
}

/// Hears what a navigation controller shows, when its stack changes (rule 5.20).
public protocol NavigationControllerDelegate: AnyObject {
    /// The new top's `viewWillAppear` has been called.
    func navigationController(_ navigationController: NavigationController, willShow controller: ViewController)
    /// The new top's `viewDidAppear` has been called.
    func navigationController(_ navigationController: NavigationController, didShow controller: ViewController)
}

extension NavigationControllerDelegate {
    /// Does nothing.
    public func navigationController(_ navigationController: NavigationController, willShow controller: ViewController)
    {
    }
    /// Does nothing.
    public func navigationController(_ navigationController: NavigationController, didShow controller: ViewController) {
    }
}
