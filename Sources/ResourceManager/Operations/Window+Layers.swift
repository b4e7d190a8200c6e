/// What a window shows: its root and what is presented there, and what was put into it by hand.
extension Window {
    /// The root and what is presented on top of it, covered or not.
    var layers: [ViewController] { root.map { [$0] + $0.presenteesOfTree } ?? [] }

    /// Whether the window, as it is to be, shows a root and what is presented on top of it.
    func wants(_ root: ViewController) -> Bool { isWantedVisible && leavingRoot !== root }

    /// Brings in what the window has to show.
    func showLayers() {
        var shown: [ViewController] = []
        while let layer = shownLayers.first(where: { layer in !shown.contains { $0 === layer } }) {
            shown.append(layer)
            layer.bringIn()
        }
    }

    /// Takes out what the window has to show no more; again what callbacks bring in meanwhile, a presentation for example.
    func takeLayersOut() {
        while true {
            let leaving = layers.filter { layer in
                let isIn = layer.appearance.isTowardsAppeared || layer.appearance.isDriven(by: .operation)
                return (isIn || layer.loadedView?.superview === self) && layer.wantedPlace == nil
            }
            guard !leaving.isEmpty else { return }
            for layer in leaving { layer.take(.leave) }
            for layer in leaving {
                layer.take(.detach(from: self))
                layer.take(.end)
            }
        }
    }

    /// Cuts what the old root presented, and the old root, and links the new one unless it has been taken elsewhere.
    func setRoot(_ new: ViewController?) {
        for presentee in root?.presenteesOfTree ?? [] { presentee.endBeingPresented() }
        root?.rootedWindow = nil
        leavingRoot = nil
        root = nil
        if let new, !new.isFree { return host.report(.hierarchyInconsistency, by: new) }
        root = new
        new?.rootedWindow = self
    }

    /// Has what was put into the window by hand come into service with it.
    func showBare() {
        guard isWantedVisible else { return }
        let controllers = bareControllers()
        for controller in controllers where shows(bare: controller) {
            controller.prepareToAppear()
            if shows(bare: controller) { controller.begin(true, by: .operation) }
        }
        if isWantedVisible {
            let layers = shownLayers.compactMap(\.loadedView)
            for subview in subviews where !layers.contains(where: { $0 === subview }) { settle(subview) }
        }
        for controller in controllers { controller.endMove(isServing: isWantedVisible) }
    }

    /// Has what was put into the window by hand leave service with it.
    func takeBareOut() {
        guard !isWantedVisible else { return }
        let controllers = bareControllers()
        for controller in controllers { controller.begin(false, by: .operation) }
        guard !isWantedVisible else { return }
        isVisible = false
        for controller in controllers { controller.endMove(isServing: false) }
    }

    /// Whether the window, as it is to be, shows a controller whose view was put into it by hand: a callback may have
    /// hidden the window, or taken the view out.
    private func shows(bare controller: ViewController) -> Bool {
        guard isWantedVisible, let place = controller.loadedView?.superview else { return false }
        return place.window === self && place.nearestController == nil
    }

    /// Controllers whose views were put into the window by hand, without those that an operation is taking in or out.
    private func bareControllers() -> [ViewController] {
        let layers = layers
        return subviews.flatMap { $0.topmostControllers() }.filter { bare in
            bare.pins == 0 && !layers.contains { $0 === bare }
        }
    }
}
