/// A stack of controllers that shows the top one: nested work, such as session, query, drill-down.
///
/// Only the top's view is in service. The controllers below keep their views off window, where a memory warning may
/// unload them; they load again when the controllers are uncovered (rules 5.15 to 5.20).
open class NavigationController: ViewController {
    /// The stack, the lowest first; during a change a subset of ``ViewController/children``, otherwise equal to it.
    public private(set) final var viewControllers: [ViewController] = [] {
        didSet { if announcedTop !== viewControllers.last { announcedTop = nil } }
    }
    /// The top that the delegate was told of last, as long as it is the top.
    @Weak private var announcedTop: ViewController?
    /// Is notified of the controllers that are shown; not kept alive.
    public final weak var delegate: (any NavigationControllerDelegate)?

    /// A stack of controllers, the lowest first.
    public convenience init(host: ControllerHost, viewControllers: [ViewController]) {
        self.init(host: host)
        setViewControllers(viewControllers)
    }

    /// The controller that is shown.
    public final var topViewController: ViewController? { viewControllers.last }

    /// The top.
    public final override var childForAppearance: ViewController? { topViewController }

    /// Puts a controller on top and shows it.
    ///
    /// A controller of another container leaves that container (rule 5.2). While the stack is not in service, nothing is
    /// loaded (rule 5.16). A controller that is on the stack already is
    /// ``ResourceFault/alreadyOnStack``; a controller that cannot be a child is
    /// ``ResourceFault/hierarchyInconsistency``.
    public final func push(_ controller: ViewController) {
        beginPush(controller)?.finish()
    }

    /// Puts a controller on top, and gives the covered controller time to finish its work (rule 3.22).
    ///
    /// Runs in the caller's isolation, which is the host's. The new top is attached and laid out before `drain` is
    /// called; the old one leaves the window when that returns. Meanwhile other changes of the stack are refused:
    /// ``ResourceFault/transitionInProgress``.
    public final nonisolated(nonsending) func push(
        _ controller: ViewController,
        drain: nonisolated(nonsending) () async -> Void
    ) async {
        guard let change = beginPush(controller, drains: true) else { return }
        await drain()
        change.finish()
    }

    /// Takes the top off the stack and shows the one below it.
    ///
    /// - Returns: The controller that was taken off; `nil` if it is the last one, which stays.
    @discardableResult
    public final func pop() -> ViewController? {
        guard viewControllers.count > 1 else { return nil }
        return pop(keeping: viewControllers.count - 1).last
    }

    /// Takes the top off the stack, giving it time to finish its work.
    ///
    /// Otherwise like ``push(_:drain:)``.
    @discardableResult
    public final nonisolated(nonsending) func pop(
        drain: nonisolated(nonsending) () async -> Void
    ) async -> ViewController? {
        guard viewControllers.count > 1, let change = beginPop(to: viewControllers.dropLast(), drains: true) else {
            return nil
        }
        await drain()
        change.finish()
        return change.removed.last
    }

    /// Takes everything above a controller of the stack off; does nothing if it is not on the stack or is the top.
    ///
    /// - Returns: The controllers that were taken off, the lowest first.
    @discardableResult
    public final func pop(to controller: ViewController) -> [ViewController] {
        guard let index = viewControllers.firstIndex(where: { $0 === controller }) else { return [] }
        return pop(keeping: index + 1)
    }

    /// Takes everything above the lowest controller off; does nothing if that is the top.
    ///
    /// - Returns: The controllers that were taken off, the lowest first.
    @discardableResult
    public final func popToRoot() -> [ViewController] {
        pop(keeping: 1)
    }

    private func pop(keeping count: Int) -> [ViewController] {
        guard count < viewControllers.count, let change = beginPop(to: viewControllers.prefix(count)) else { return [] }
        change.finish()
        return change.removed
    }

    /// Replaces the whole stack: at most one transition, from the old top to the new one (rule 5.18).
    ///
    /// A controller that is listed twice is ``ResourceFault/alreadyOnStack``.
    public final func setViewControllers(_ controllers: [ViewController]) {
        guard !controllers.elementsEqual(viewControllers, by: ===) else { return }
        beginReplacing(by: controllers)?.finish()
    }

    /// Tells the delegate of a new top, unless a change in a callback has done so.
    private func announceShown(_ top: ViewController) {
        guard announcedTop !== top else { return }
        announcedTop = top
        delegate?.navigationController(self, didShow: top)
    }

    private func beginPush(_ controller: ViewController, drains: Bool = false) -> StackChange? {
        guard !viewControllers.holds(controller) else {
            host.report(.alreadyOnStack, by: self)
            return nil
        }
        return beginChange(to: viewControllers + [controller], adding: [controller], removing: [], drains: drains)
    }

    private func beginPop(to stack: ArraySlice<ViewController>, drains: Bool = false) -> StackChange? {
        beginChange(to: Array(stack), adding: [], removing: Array(viewControllers[stack.count...]), drains: drains)
    }

    private func beginReplacing(by stack: [ViewController]) -> StackChange? {
        let old = Set(viewControllers.map(ObjectIdentifier.init))
        let new = Set(stack.map(ObjectIdentifier.init))
        guard new.count == stack.count else {
            host.report(.alreadyOnStack, by: self)
            return nil
        }
        return beginChange(
            to: stack,
            adding: stack.filter { !old.contains(ObjectIdentifier($0)) },
            removing: viewControllers.filter { !new.contains(ObjectIdentifier($0)) },
            drains: false
        )
    }

    /// The part of a change before the did-callbacks, in the order of rules 5.16 to 5.18.
    private func beginChange(
        to stack: [ViewController],
        adding added: [ViewController],
        removing removed: [ViewController],
        drains: Bool
    ) -> StackChange? {
        guard canExchange() else { return nil }
        if let refused = added.first(where: { !canTake($0) }) {
            host.report(.hierarchyInconsistency, by: refused)
            return nil
        }
        guard host.beginOperation(by: self) else { return nil }
        let oldTop = topViewController
        let exchange = ChildExchange(in: self, drains: drains)
        adopt(added)
        // Controllers that a callback has moved to another owner are not shown here.
        viewControllers = stack.allSatisfy { $0.isChild(of: self) } ? stack : stack.filter { $0.isChild(of: self) }
        // The top first, then from the bottom up (rule 5.17).
        if let top = removed.last, top === oldTop, hasLiving(top) { top.announceWillMove(to: nil) }
        for controller in removed where controller !== oldTop && hasLiving(controller) {
            controller.announceWillMove(to: nil)
        }
        exchange.begin()
        let isServing = appearance.isTowardsAppeared
        if isServing, let newTop = topViewController, newTop !== oldTop, newTop.appearance.isTowardsAppeared {
            delegate?.navigationController(self, willShow: newTop)
        }
        host.endOperation()
        return StackChange(stack: self, oldTop: oldTop, added: added, removed: removed, exchange: exchange)
    }

    /// A change of the stack between its two parts.
    private struct StackChange {
        let stack: NavigationController
        let oldTop: ViewController?
        let added: [ViewController]
        let removed: [ViewController]
        let exchange: ChildExchange

        func finish() {
            let host = stack.host
            host.operations.resume()
            exchange.finish()
            stack.endChange(removing: removed, adding: added) { stack.viewControllers }
            if let top = stack.topViewController, top !== oldTop, top.appearance.phase == .appeared {
                stack.announceShown(top)
            }
            for controller in added where !controller.isChild(of: stack) && !controller.canBeOwned {
                host.report(.hierarchyInconsistency, by: controller)
            }
            host.endOperation()
            withExtendedLifetime(removed) {}
        }
    }

    final override var showsOneChild: Bool { true }

    final override func shows(_ child: ViewController) -> Bool { viewControllers.last === child }

    final override func didLose(_ child: ViewController) {
        viewControllers.remove(child)
        replaceLost(child)
    }

    final override var isRestoringNewChildren: Bool { true }

    final override func restore(children: [ViewController], shown: RestorableSelection?) {
        guard !children.isEmpty else { return }
        // Controllers without an identifier were not saved; the program has put them there.
        setViewControllers(viewControllers.filter { $0.restorationIdentifier == nil } + children)
    }

    final override func addArchivedChild(_ child: ViewController) {
        guard !isViewLoaded else { return push(child) }
        guard adoptArchived(child, listing: { viewControllers.append(child) }) else { return }
        child.announceDidMove(to: self)
    }
}

/// Is notified when a change of the stack changes the controller that is shown (rule 5.20).
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
