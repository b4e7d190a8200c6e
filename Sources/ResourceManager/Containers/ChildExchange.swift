/// One child's view taking the place of another's, for all containers that show one child at a time (rules 3.10, 3.11,
/// 5.11, 5.21).
///
/// Two halves, so that the outgoing child can be given time to finish its work between the will- and the did-callbacks
/// (rule 3.22): the new view is loaded, both are told, the new one attached and laid out; then the old one detached, and
/// both told again. In a container that is not in service no controller is told.
struct ChildExchange {
    private let container: ViewController
    private let old: ViewController?
    private let new: ViewController?
    private let leaving: AppearanceTransition?
    private let arriving: AppearanceTransition?

    /// Begins an exchange, which has to be finished.
    ///
    /// In `place`, a view of the container's tree, the views change places off window as well; without it the new one goes
    /// into the container's own view, and only in service.
    static func begin(
        in container: ViewController,
        from old: ViewController?,
        to new: ViewController?,
        place: View? = nil
    ) -> ChildExchange {
        container.isExchanging = true
        let isServing = container.appearance.isTowardsAppeared
        if isServing || place != nil { new?.prepareToAppear() }
        // A child that a callback has taken elsewhere is no longer ours to tell.
        let leaving = old?.parent === container ? old?.begin(false) : nil
        var arriving: AppearanceTransition?
        switch container.appearance.phase {
        case .appeared: arriving = new?.begin(true)
        // The container will end what it has passed on.
        case .appearing: new?.begin(true, isForwarded: true)
        case .disappeared, .disappearing: break
        }
        // Unless a callback has taken it elsewhere.
        if isServing || place != nil, new?.parent === container, let view = new?.loadedView,
            let place = place ?? container.loadedView
        {
            if !view.isDescendant(of: place), !place.isDescendant(of: view) { place.link(view) }
            if let superview = view.superview, let window = superview.window { superview.settle(view, in: window) }
        }
        return ChildExchange(container: container, old: old, new: new, leaving: leaving, arriving: arriving)
    }

    func finish() {
        if old?.parent === container, let place = container.loadedView, let view = old?.loadedView,
            view.isDescendant(of: place)
        {
            view.unlink()
        }
        leaving?.end()
        // A callback may have brought the container back into service, and this one with it.
        if let old, old.appearance.isTowardsAppeared, old.parent === container, !isShown(old) {
            old.begin(false)?.end()
        }
        // From its last callback on, the container may change again.
        container.isExchanging = false
        arriving?.end(isServing: container.appearance.isTowardsAppeared && new?.parent === container)
    }
}

extension ChildExchange {
    private func isShown(_ child: ViewController) -> Bool {
        container.loadedView.map(child.isViewInside) ?? false
    }
}

extension ViewController {
    /// Adds a child to a container that places its children's views itself: out of where it is, with all callbacks.
    func adopt(_ child: ViewController) {
        if canAdd(child) { child.viewIfLoaded?.removeFromSuperview() }
        addChild(child)
    }

    /// Shows another child when the one that was shown has been taken away from outside.
    func replaceLost(_ lost: ViewController, by child: ViewController?) {
        // The change that is under way sees to it itself.
        guard !isExchanging else { return }
        if let view = lost.loadedView, let container = loadedView, view.isDescendant(of: container) {
            view.removeFromSuperview()
        }
        ChildExchange.begin(in: self, from: nil, to: child).finish()
    }

    /// Whether the container may begin an exchange; reports the fault if not (rule 3.22).
    func canExchange() -> Bool {
        if isExchanging { host.report(.transitionInProgress, by: self) }
        return !isExchanging
    }
}
