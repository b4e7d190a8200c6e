/// A set of alternatives that shows one of them: shards, tenants, models.
///
/// All alternatives are children from the start (rule 5.22). When the container appears, only the selected one's view
/// is loaded; the others are loaded when they are selected (rules 2.15, 5.21).
open class TabController: ViewController {
    /// The alternatives, in order.
    public private(set) final var viewControllers: [ViewController] = []
    private var selection = 0

    /// A set of alternatives that shows the first one.
    public convenience init(host: ControllerHost, viewControllers: [ViewController]) {
        self.init(host: host)
        setViewControllers(viewControllers)
    }

    /// The controller that is shown; `nil` if there are none.
    public final var selectedViewController: ViewController? {
        viewControllers.indices.contains(selection) ? viewControllers[selection] : nil
    }

    /// The index of the controller that is shown, 0 if there are none.
    ///
    /// Setting it shows another alternative. Setting the same index does nothing, and while the container is not in
    /// service nothing is loaded. An index that does not exist is a programming error and traps.
    public final var selectedIndex: Int {
        get { selection }
        set { if let exchange = beginSelecting(newValue, drains: false) { finish(exchange) } }
    }

    /// Shows another controller, and gives the one that was shown time to finish its work.
    ///
    /// Otherwise like ``NavigationController/push(_:drain:)``.
    public final nonisolated(nonsending) func select(
        _ index: Int,
        drain: nonisolated(nonsending) () async -> Void
    ) async {
        guard let exchange = beginSelecting(index, drains: true) else { return }
        await drain()
        finish(exchange)
    }

    /// The selected controller.
    public final override var childForAppearance: ViewController? { selectedViewController }

    /// Replaces the alternatives; if the one that is shown is among the new ones it stays, otherwise the first is
    /// shown.
    ///
    /// A controller of another container leaves that container (rule 5.2). A controller that is listed twice is added
    /// once. If a controller cannot be a child, nothing changes: ``ResourceFault/hierarchyInconsistency``.
    public final func setViewControllers(_ controllers: [ViewController]) {
        guard canExchange() else { return }
        if let refused = controllers.first(where: { !$0.isChild(of: self) && !canTake($0) }) {
            return host.report(.hierarchyInconsistency, by: refused)
        }
        guard host.beginOperation(by: self) else { return }
        let old = viewControllers
        let shown = selectedViewController
        let exchange = ChildExchange(in: self)
        let present = Set(old.map(ObjectIdentifier.init))
        // Without duplicates.
        var seen = Set<ObjectIdentifier>()
        let wanted = controllers.filter { seen.insert(ObjectIdentifier($0)).inserted }
        let added = wanted.filter { !present.contains(ObjectIdentifier($0)) }
        adopt(added)
        // Without controllers that a callback has moved to another owner.
        viewControllers = wanted.filter { $0.isChild(of: self) }
        let kept = Set(viewControllers.map(ObjectIdentifier.init))
        let removed = old.filter { !kept.contains(ObjectIdentifier($0)) }
        selection = viewControllers.firstIndex { $0 === shown } ?? 0
        for controller in removed where hasLiving(controller) { controller.announceWillMove(to: nil) }
        exchange.begin()
        exchange.finish()
        endChange(removing: removed, adding: added) { viewControllers }
        for controller in wanted where !controller.isChild(of: self) && !controller.canBeOwned {
            host.report(.hierarchyInconsistency, by: controller)
        }
        host.endOperation()
        withExtendedLifetime(removed) {}
    }

    private func beginSelecting(_ index: Int, drains: Bool) -> ChildExchange? {
        precondition(viewControllers.indices.contains(index), "there is no tab \(index) of \(viewControllers.count)")
        guard index != selection, canExchange(), host.beginOperation(by: self) else { return nil }
        let exchange = ChildExchange(in: self, drains: drains)
        selection = index
        exchange.begin()
        host.endOperation()
        return exchange
    }

    private func finish(_ exchange: ChildExchange) {
        host.operations.resume()
        exchange.finish()
        host.endOperation()
    }

    final override var showsOneChild: Bool { true }

    final override func didLose(_ child: ViewController) {
        if let index = viewControllers.firstIndex(where: { $0 === child }) {
            viewControllers.remove(at: index)
            if index < selection { selection -= 1 }
            selection = min(selection, max(0, viewControllers.count - 1))
        }
        replaceLost(child)
    }

    final override var restorableSelection: RestorableSelection? {
        selectedViewController.map { RestorableSelection(index: selection, identifier: $0.restorationIdentifier) }
    }

    final override func restore(children: [ViewController], shown: RestorableSelection?) {
        guard let shown else { return }
        if let identifier = shown.identifier {
            let fits = viewControllers.indices.filter { viewControllers[$0].restorationIdentifier == identifier }
            // If several have the identifier, the one at the saved index.
            guard let index = fits.contains(shown.index) ? shown.index : fits.first else { return }
            selectedIndex = index
        } else if viewControllers.indices.contains(shown.index) {
            selectedIndex = shown.index
        }
    }

    final override func addArchivedChild(_ child: ViewController) {
        guard !isViewLoaded else { return setViewControllers(viewControllers + [child]) }
        guard adoptArchived(child, listing: { viewControllers.append(child) }) else { return }
        child.announceDidMove(to: self)
    }
}
