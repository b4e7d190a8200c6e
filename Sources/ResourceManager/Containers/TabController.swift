/// Alternatives of which one is in service: shards, tenants, models.
///
/// All are children from the start (rule 5.22); only the selected one's view is loaded when the container appears, the
/// others when they are selected (rules 2.15, 5.21).
open class TabController: ViewController {
    /// The alternatives, in order.
    public private(set) final var viewControllers: [ViewController] = []
    private var selection = 0

    /// Alternatives of which the first is shown.
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
    /// Setting it shows another one; the same again does nothing, and while the container is not in service nothing is
    /// loaded. An index that does not exist is a programming error and traps.
    public final var selectedIndex: Int {
        get { selection }
        set { beginSelecting(newValue)?.finish() }
    }

    /// Shows another controller, giving the one that was shown time to finish its work.
    ///
    /// Otherwise like ``NavigationController/push(_:drain:)``.
    public final nonisolated(nonsending) func select(
        _ index: Int,
        drain: nonisolated(nonsending) () async -> Void
    ) async {
        guard let exchange = beginSelecting(index) else { return }
        await drain()
        exchange.finish()
    }

    /// The selected one.
    open override var childForAppearance: ViewController? { selectedViewController }

    /// Replaces the alternatives; the one that is shown stays if it is among the new ones, else the first is shown.
    public final func setViewControllers(_ controllers: [ViewController]) {
        guard canExchange() else { return }
        isExchanging = true
        defer { isExchanging = false }
        let old = viewControllers
        let shown = selectedViewController
        for controller in controllers where controller.parent !== self { adopt(controller) }
        // What was refused, or named twice, is not among them.
        var seen = Set<ObjectIdentifier>()
        viewControllers = controllers.filter { $0.parent === self && seen.insert(ObjectIdentifier($0)).inserted }
        let removed = old.filter { gone in !viewControllers.contains { $0 === gone } }
        for controller in removed { controller.announceWillMove(to: nil) }
        selection = viewControllers.firstIndex { $0 === shown } ?? 0
        if selectedViewController !== shown {
            ChildExchange.begin(in: self, from: shown, to: selectedViewController).finish()
        }
        for controller in removed where controller.parent === self { controller.removeFromParent() }
        order(viewControllers)
        for controller in viewControllers where !old.contains(where: { $0 === controller }) {
            controller.announceDidMove(to: self)
        }
    }

    private func beginSelecting(_ index: Int) -> ChildExchange? {
        precondition(viewControllers.indices.contains(index), "there is no tab \(index) of \(viewControllers.count)")
        guard index != selection, canExchange() else { return nil }
        let old = selectedViewController
        selection = index
        return .begin(in: self, from: old, to: selectedViewController)
    }

    final override func didLose(_ child: ViewController) {
        guard let index = viewControllers.firstIndex(where: { $0 === child }) else { return }
        let wasSelected = index == selection
        viewControllers.remove(at: index)
        if index < selection { selection -= 1 }
        selection = min(selection, max(0, viewControllers.count - 1))
        if wasSelected { replaceLost(child, by: selectedViewController) }
    }

    final override var restorableSelection: RestorableSelection? {
        selectedViewController.map { RestorableSelection(index: selection, identifier: $0.restorationIdentifier) }
    }

    final override func restore(children: [ViewController], shown: RestorableSelection?) {
        guard let shown else { return }
        if let identifier = shown.identifier {
            let fits = viewControllers.indices.filter { viewControllers[$0].restorationIdentifier == identifier }
            // Of several, the one at the place.
            guard let index = fits.contains(shown.index) ? shown.index : fits.first else { return }
            selectedIndex = index
        } else if viewControllers.indices.contains(shown.index) {
            selectedIndex = shown.index
        }
    }

    final override func addArchivedChild(_ child: ViewController) {
        // Not by replacing all: of ten thousand, each would be looked for among all, for each.
        guard canExchange() else { return }
        isExchanging = true
        defer { isExchanging = false }
        adopt(child)
        guard child.parent === self else { return }
        viewControllers.append(child)
        if viewControllers.count == 1 { ChildExchange.begin(in: self, from: nil, to: child).finish() }
        child.announceDidMove(to: self)
    }
}
