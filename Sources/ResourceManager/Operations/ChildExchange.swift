/// Replaces one child's view by another's, for all containers that show one child at a time (rules 3.10, 3.11, 5.11,
/// 5.21).
///
/// It has two parts, so that the old child can have time to finish its work between the will- and the did-callbacks
/// (rule 3.22). In the first part the new view is loaded, both children receive their will-callbacks, and the new view
/// is attached and laid out. In the second part the old view is detached, and both receive their did-callbacks. In a
/// container that is not in service no callbacks are sent. The container is busy from the initialiser to the last
/// callbacks.
final class ChildExchange {
    /// Kept alive until ``finish()``, as the call that made the exchange does; an unowned reference costs more.
    private let container: ViewController
    /// The child that is shown and not wanted; of a container that shows one child, known from ``begin()`` on.
    private(set) var old: ViewController?
    private let target: ViewController?
    @Weak private var givenPlace: View?
    private let driver: Appearance.Driver
    private var arrived: ViewController?
    /// The numbers of the transitions that both children are in after the first part.
    private var serials: (old: UInt32?, arrived: UInt32?)
    /// How often their views had been moved then, or at the beginning.
    private var placements: (old: UInt32?, arrived: UInt32?)
    private var pinned: ViewController?

    /// Makes a container busy with an exchange, which has to be begun and finished.
    ///
    /// With `place`, a view of the container's tree, the views change places off window as well; without it, the new
    /// one goes into the container's own view, and only in service. A container with
    /// ``ViewController/childForAppearance`` is asked for it again at each step, and `target` is ignored.
    init(
        in container: ViewController,
        from old: ViewController? = nil,
        to target: ViewController? = nil,
        place: View? = nil,
        drains: Bool = false
    ) {
        self.container = container
        self.old = old
        self.target = target
        givenPlace = place
        driver = drains ? .drain : .operation
        container.exchange = self
    }

    /// The child to show at present.
    var wanted: ViewController? {
        let wanted = container.showsOneChild ? container.childForAppearance : target
        return wanted?.isChild(of: container) ?? false ? wanted : nil
    }

    /// Whether this is the child to show at present.
    func wants(_ child: ViewController) -> Bool {
        (container.showsOneChild ? container.shows(child) : child === target) && child.isChild(of: container)
    }

    /// The view to show it in.
    var place: View? { givenPlace ?? container.loadedView }

    /// The part before the did-callbacks.
    func begin() {
        let isServing = container.appearance.isTowardsAppeared
        placements.old = old?.loadedView?.placements
        if isServing || givenPlace != nil { loadWanted() }
        // Callbacks may have changed the shown child since the exchange was made.
        if container.showsOneChild { old = container.childToReplace }
        if let old, old.isChild(of: container), !wants(old) {
            old.take(.leave, by: driver)
            takeOutIfNotServing(old, isServing)
        }
        serials.old = old?.appearance.serial
        if let new = wanted {
            attachOffWindow(new)
            bringIn(new)
        }
    }

    /// Takes out the view of an old child that has not come back into service yet with its container: it has no work to
    /// finish, and would come on window in the container's view.
    private func takeOutIfNotServing(_ old: ViewController, _ isServing: Bool) {
        guard isServing, old.appearance.phase == .disappeared, let view = container.loadedView else { return }
        old.take(.detach(from: view), by: driver)
    }

    private func bringIn(_ new: ViewController) {
        // A callback may have made it the shown child since.
        if !new.isViewLoaded { new.take(.load) }
        new.take(.arrive, by: driver)
        new.take(.attach)
        arrived = new
        serials.arrived = new.appearance.serial
        placements.arrived = new.loadedView?.placements
    }

    /// The part with the did-callbacks.
    func finish() {
        if let old {
            if old.isChild(of: container), !wants(old) {
                if let view = container.loadedView { old.take(.detach(from: view), by: driver) }
                if let view = old.loadedView {
                    // If the program is placing the view just now, this is the later wish (rule 3.24): the view leaves its
                    // former place, and comes into no other.
                    view.placements &+= 1
                    if old.appearance.phase == .disappearing { view.unlink() }
                }
                // The view may have been released meanwhile: another one does not return to its place.
                old.formerPlace = nil
            }
            takeOutIfRemoved(old, placements.old)
            end(old, serials.old)
        }
        // The container's view may have been loaded only during the drain, or a callback may have taken the container out of
        // service, and brought it back.
        if let arrived, arrived.isChild(of: container) {
            if !arrived.appearance.isTowardsAppeared { bringIn(arrived) }
            // The container may have another view by now.
            if let view = arrived.loadedView, view.superview?.nearestController !== container,
                place?.canTake(view) ?? false
            {
                arrived.take(.attach)
                attachOffWindow(arrived)
            }
        }
        // After its last callback, the container may change again.
        if container.exchange === self { container.exchange = nil }
        if let arrived {
            end(arrived, serials.arrived)
            takeOutIfRemoved(arrived, placements.arrived)
        }
        pin(nil)
        container.showWanted(after: arrived)
    }

    /// Takes out the view of a child that a callback has removed from the container, and that is where the exchange put or
    /// found it.
    private func takeOutIfRemoved(_ child: ViewController, _ placements: UInt32?) {
        guard child.isFree, !child.appearance.isTowardsAppeared else { return }
        guard let view = child.loadedView, view.placements == placements, let place = container.loadedView else {
            return
        }
        if view.isDescendant(of: place) { view.unlink() }
    }

    /// Ends the transition of a child, unless another container has taken it and begun another one.
    private func end(_ child: ViewController, _ serial: UInt32?) {
        if child.isChild(of: container) || child.appearance.serial == serial { child.take(.end, by: driver) }
    }

    private func loadWanted() {
        // The loads of two children may make each other the wanted one for ever.
        for _ in 0..<OperationBounds.depth {
            guard let new = wanted, new !== pinned else { return }
            pin(new)
            guard !new.appearance.isTowardsAppeared, !new.isPrepared else { return }
            new.prepareToAppear()
        }
    }

    /// Puts the view of the new child into the place of the old one if the container is not in service: no step does.
    private func attachOffWindow(_ new: ViewController) {
        guard !container.appearance.isTowardsAppeared else { return }
        guard let givenPlace, wants(new), let view = new.loadedView else { return }
        if !view.isDescendant(of: givenPlace) { container.put(new, into: givenPlace) }
    }

    private func pin(_ new: ViewController?) {
        new?.pins += 1
        let unpinned = pinned
        pinned = new
        unpinned?.unpin()
    }
}

extension ViewController {
    /// Whether a change of what the container shows is under way.
    var isExchanging: Bool { exchange != nil }

    /// Whether the container may begin an exchange; reports the fault if not (rule 3.22).
    func canExchange() -> Bool {
        if isExchanging { host.report(.transitionInProgress, by: self) }
        return !isExchanging
    }

    /// Adds children to a container that places their views itself, except those that a callback gives to another owner.
    ///
    /// A child that the container was about to remove is removed first, and added again.
    func adopt(_ children: [ViewController]) {
        for (child, owner) in children.map({ ($0, $0.parent) }) { adopt(child, from: owner) }
    }

    /// Takes a child out of its old place, with all callbacks, and adds it, unless it has left its owner for another one.
    private func adopt(_ child: ViewController, from owner: ViewController?) {
        func isTaken() -> Bool { child.parent != nil && child.parent !== owner || !canTake(child) }
        guard !isTaken() else { return }
        let isMoved = child.loadedView?.superview != nil
        child.loadedView?.takeOut()
        if !isMoved || !isTaken() { gain(child, takingViewOut: true) }
        // A callback may have made this controller refuse the child.
        guard child.isChild(of: self) else {
            child.parent?.showAgain(child)
            return
        }
        // A callback, or the end of what it presented, may have returned the view to its old place, which may lie in this
        // controller's view.
        guard let view = child.loadedView else { return }
        if view.superview?.nearestController !== self { view.takeOut() }
    }

    /// Adds a child of an archive to a container whose view is not loaded.
    ///
    /// The shown child does not change, unless a callback brings the container into service, and the cost of adding many
    /// children stays linear.
    ///
    /// - Parameters:
    ///   - child: The child.
    ///   - list: Lists it among the children that the container may show.
    /// - Returns: Whether it is a child now; the did-callback is due when it is in its place.
    func adoptArchived(_ child: ViewController, listing list: () -> Void) -> Bool {
        guard canExchange(), host.beginOperation(by: self) else { return false }
        let exchange = ChildExchange(in: self)
        adopt([child])
        if child.isChild(of: self) { list() }
        exchange.finish()
        if !child.isChild(of: self) { host.report(.hierarchyInconsistency, by: child) }
        host.endOperation()
        return child.isChild(of: self)
    }

    /// Takes out the view of a child that was removed by other code, and shows another child.
    func replaceLost(_ lost: ViewController) {
        if let view = lost.loadedView, let container = loadedView, view.isDescendant(of: container) { view.takeOut() }
        showWanted(after: nil)
    }

    /// The child that a container, which shows one child, shows although it wants another.
    var childToReplace: ViewController? {
        children.first { child in
            guard !shows(child) else { return false }
            // A child that is appearing elsewhere is left to the drain that it is in; a callback may have dropped the view
            // of the shown child as it appeared.
            let isShown =
                child.appearance.phase == .appeared
                || child.appearance.phase == .appearing && !child.isViewLoaded
                    && !child.appearance.isDriven(by: .program)
            return isShown || loadedView.map(child.isViewInside) ?? false
        }
    }

    /// Whether the container shows another child instead of this one, at present or after the exchange under way.
    func isReplaced(_ child: ViewController) -> Bool {
        if showsOneChild { return !shows(child) }
        guard let exchange, exchange.old === child else { return false }
        return !exchange.wants(child)
    }

    /// Shows the container's wanted child if it differs from the last one; a change under way does so itself.
    func showWanted(after last: ViewController?) {
        guard showsOneChild, !isExchanging, appearance.isTowardsAppeared else { return }
        guard let child = childForAppearance, child !== last, !child.appearance.isTowardsAppeared else { return }
        let exchange = ChildExchange(in: self)
        exchange.begin()
        exchange.finish()
    }
}
