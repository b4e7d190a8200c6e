extension Window {
    /// The controller that the window shows; kept alive.
    ///
    /// Setting it in a window that is not visible loads nothing (rule 5.31). In a visible one the old root's disappearance
    /// is completed and its tree taken out before the new one's view is loaded, so that memory holds one tree and not two
    /// (rule 5.32); what the old root presented is dismissed with it. A controller that has a parent, is presented, or is
    /// another window's root is refused: ``ResourceFault/hierarchyInconsistency``.
    public final var rootViewController: ViewController? {
        get { root }
        set { replaceRoot(with: newValue) }
    }

    /// Puts the window into service: the root's view is loaded if need be, and appears.
    public final func makeVisible() {
        guard !isVisible else { return }
        isVisible = true
        for layer in shownLayers {
            // A callback may have hidden the window again, or taken the layer out.
            guard isVisible, shownLayers.contains(where: { $0 === layer }) else { continue }
            show(layer)
        }
        guard isVisible else { return }
        let transitions = bareControllers().compactMap { $0.begin(true) }
        if isVisible {
            let layers = shownLayers.compactMap(\.loadedView)
            for subview in subviews where !layers.contains(where: { $0 === subview }) {
                settle(subview, in: self)
            }
        }
        for transition in transitions { transition.end() }
    }

    /// Takes the window out of service: everything in it disappears; nothing is unloaded until memory is short.
    public final func hide() {
        guard isVisible else { return }
        takeLayersOut { true }
        let transitions = bareControllers().compactMap { $0.begin(false) }
        isVisible = false
        for transition in transitions { transition.end() }
    }

    /// The root and what is presented on top of it, lowest first, without those that a full-screen presentation covers.
    final var shownLayers: [ViewController] {
        let layers = layers
        let covered = layers.compactMap { $0.presentation?.covered }
        return layers.filter { layer in !covered.contains { $0 === layer } }
    }

    /// The root and what is presented on top of it, covered or not.
    private var layers: [ViewController] { root.map { [$0] + $0.presenteesOfTree } ?? [] }

    /// Controllers whose views were put into the window by hand.
    private func bareControllers() -> [ViewController] {
        let layers = layers
        return subviews.flatMap { $0.topmostControllers() }.filter { bare in !layers.contains { $0 === bare } }
    }

    private func replaceRoot(with new: ViewController?) {
        let old = root
        guard new !== old else { return }
        if let new, !new.isFree {
            host.report(.hierarchyInconsistency, by: new)
            return
        }
        if isVisible {
            takeLayersOut { root === old }
            // A callback of the old root may have set another one: the later wish counts.
            guard root === old else { return }
        }
        let presentees = old?.presenteesOfTree ?? []
        for presentee in presentees { presentee.endBeingPresented() }
        old?.rootedWindow = nil
        root = new
        new?.rootedWindow = self
        if isVisible, let new { show(new) }
        withExtendedLifetime(presentees) {}
    }

    /// Brings a layer in: load, will, attach, layout, backing, did (rule 3.4).
    private func show(_ layer: ViewController) {
        layer.prepareToAppear()
        // Loading it may have replaced the root or hidden the window. So may the callback, which turns the transition
        // round.
        guard layer.loadedView != nil, isVisible, shownLayers.contains(where: { $0 === layer }) else { return }
        let transition = layer.begin(true)
        guard transition?.isUnderWay ?? true else { return }
        if let view = layer.loadedView, !isDescendant(of: view) {
            if view.superview !== self { link(view) }
            settle(view, in: self)
        }
        transition?.end()
    }

    /// Takes out what is shown; again what callbacks bring in meanwhile, a dismissal for example, while that is wanted.
    private func takeLayersOut(while isWanted: () -> Bool) {
        var rounds = 0
        // Not for ever.
        repeat {
            takeOut(shownLayers)
            rounds += 1
        } while isWanted() && rounds < 4 && shownLayers.contains(where: \.isInService)
    }

    private func takeOut(_ layers: [ViewController]) {
        let transitions = layers.map { $0.begin(false) }
        for (layer, transition) in zip(layers, transitions) {
            guard transition?.isUnderWay ?? true else { continue }
            if let view = layer.loadedView, view.superview === self { view.unlink() }
            transition?.end()
        }
    }
}

extension ViewController {
    /// All that this controller and its children at every level present, lowest first.
    var presenteesOfTree: [ViewController] {
        var all: [ViewController] = []
        if let presented { all += [presented] + presented.presenteesOfTree }
        for child in children { all += child.presenteesOfTree }
        return all
    }

    fileprivate var isInService: Bool { appearance.isTowardsAppeared && loadedView?.window != nil }
}
