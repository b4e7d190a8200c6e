/// The contents of a window: the root, the presentations above it, and views that the program added directly.
extension Window {
    /// The root and the controllers presented on top of it, covered or not.
    var layers: [ViewController] { root.map { [$0] + $0.presenteesOfTree } ?? [] }

    /// Whether the links want the window to show a root, and the presentations above it.
    func wants(_ root: ViewController) -> Bool { isWantedVisible && leavingRoot !== root }

    /// Brings the window's layers into service.
    func showLayers() {
        var shown: [ViewController] = []
        while let layer = shownLayers.first(where: { !shown.holds($0) }) {
            shown.append(layer)
            layer.bringIn()
        }
    }

    /// Takes out the layers that the window no longer shows; repeats this for layers that callbacks bring in meanwhile.
    func takeLayersOut() {
        // Callbacks bring in no more layers than an operation has steps. In the deinit of a subclass, the views no longer
        // see the window, and stay in it.
        for _ in 0..<OperationBounds.steps {
            let leaving = layers.filter { layer in
                let isIn = layer.appearance.isTowardsAppeared || layer.appearance.isDriven(by: .operation)
                return (isIn || layer.isPlaced(in: self)) && layer.wantedPlace == nil
            }
            guard !leaving.isEmpty else { return }
            for layer in leaving { layer.take(.leave) }
            for layer in leaving {
                layer.take(.detach(from: self))
                layer.take(.end)
            }
        }
    }

    /// Ends the presentations of the old root, unlinks it, and links the new root unless another owner has taken it.
    func setRoot(_ new: ViewController?) {
        let change = rootChanges
        let presentees = root?.presenteesOfTree ?? []
        let presentations = presentees.compactMap(\.presentation)
        for presentee in presentees { presentee.endBeingPresented() }
        for presentation in presentations.reversed() { presentation.announceEnded() }
        // A presentation controller may have set another root.
        guard rootChanges == change else { return }
        root?.rootedWindow = nil
        leavingRoot = nil
        root = nil
        if let new, !new.canBeOwned { return host.report(.hierarchyInconsistency, by: new) }
        new?.endForgottenService()
        root = new
        new?.rootedWindow = self
        // The program has put the view there before, and it has the budget that it came in with.
        if let view = new?.loadedView, view.isSubview(of: self) { settle(view) }
    }

    /// Brings views that the program added directly into service with the window.
    func showBare() {
        guard isWantedVisible else { return }
        let controllers = bareControllers()
        for controller in controllers where shows(bare: controller) {
            controller.prepareToAppear()
            if shows(bare: controller) { controller.begin(true, by: .operation) }
        }
        showPresenteesOfBare()
        if isWantedVisible {
            let layers = shownLayers.compactMap(\.loadedView)
            for subview in subviews where !layers.holds(subview) { settle(subview) }
        }
        for controller in controllers { controller.endMove(isServing: isWantedVisible) }
    }

    /// Brings presentations over these views into service, whose beginning a callback interrupted when it hid the window.
    private func showPresenteesOfBare() {
        for presentation in presentations where isWantedVisible {
            guard let controller = presentation.presentedViewController, controller.wantedPlace === self else {
                continue
            }
            if !controller.appearance.isTowardsAppeared { controller.bringIn() }
        }
    }

    /// Takes views that the program added directly out of service with the window.
    ///
    /// A callback that shows the window again reverses the transitions that have begun, and no more begin.
    func takeBareOut() {
        var leaving: [ViewController] = []
        var rounds = 0
        // Callbacks may add other views, or one of these again, but not for ever.
        while !isWantedVisible, rounds < OperationBounds.depth {
            // Released before they are looked up again: a deinit may add a view too.
            let next = bareControllers().filter { rounds == 0 || $0.appearance.isTowardsAppeared }
            guard !next.isEmpty else { break }
            rounds += 1
            for controller in next where !isWantedVisible && isPlace(ofBare: controller) {
                leaving.append(controller)
                controller.begin(false, by: .operation)
            }
        }
        if !isWantedVisible { isVisible = false }
        for controller in leaving { controller.endMove(isServing: isWantedVisible) }
    }

    /// Whether the window shows a controller whose view the program added directly: a callback may have hidden the window
    /// or removed the view.
    private func shows(bare controller: ViewController) -> Bool { isWantedVisible && isPlace(ofBare: controller) }

    /// Whether a controller's view is still where the program added it directly: a callback may have moved it.
    private func isPlace(ofBare controller: ViewController) -> Bool {
        guard let place = controller.loadedView?.superview else { return false }
        return place.top === self && place.nearestController == nil
    }

    /// Controllers whose views the program added directly, and that no other window is to show.
    private func bareControllers() -> [ViewController] {
        let layers = layers
        return subviews.flatMap { $0.topmostControllers() }.filter { controller in
            let place = controller.wantedPlace
            return !layers.holds(controller) && (place == nil || place?.top === self)
        }
    }
}
