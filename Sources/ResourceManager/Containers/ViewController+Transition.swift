extension ViewController {
    /// Replaces one child by another: the new view goes where the old one hangs, or into this container's view.
    ///
    /// In service: the new view is loaded; both receive their will-callbacks; the new view is attached and laid out,
    /// the old one detached; both receive their did-callbacks; then `completion` is called (rule 5.11). Both stay
    /// children: add and remove them yourself. Off window no callbacks are sent; if the old view is in its place, the
    /// new one is loaded and takes that place, otherwise nothing is loaded.
    ///
    /// Refused: ``ResourceFault/notSiblings`` unless both are children of this container;
    /// ``ResourceFault/manualForwarding`` if it forwards appearances itself; ``ResourceFault/hierarchyInconsistency``
    /// if it is a stack, a set of tabs or a working set, which decide themselves what they show;
    /// ``ResourceFault/transitionInProgress``.
    ///
    /// - Parameters:
    ///   - old: The child that is shown.
    ///   - new: The child to show.
    ///   - completion: Called last, after all callbacks, also off window; not called if the transition is refused.
    /// - Returns: `false` if the transition is refused; then nothing has changed.
    @discardableResult
    public final func transition(
        from old: ViewController,
        to new: ViewController,
        completion: (() -> Void)? = nil
    ) -> Bool {
        guard let exchange = beginTransition(from: old, to: new, drains: false) else { return false }
        finish(exchange, to: new, then: completion)
        return true
    }

    /// Replaces one child by another, and gives the old one time to finish its work.
    ///
    /// Otherwise like ``NavigationController/push(_:drain:)``.
    ///
    /// - Returns: `false` if the transition is refused; then nothing has changed, and `drain` is not called.
    @discardableResult
    public final nonisolated(nonsending) func transition(
        from old: ViewController,
        to new: ViewController,
        drain: nonisolated(nonsending) () async -> Void
    ) async -> Bool {
        guard let exchange = beginTransition(from: old, to: new, drains: true) else { return false }
        await drain()
        finish(exchange, to: new)
        return true
    }

    private func beginTransition(
        from old: ViewController,
        to new: ViewController,
        drains: Bool
    ) -> ChildExchange? {
        guard host.beginOperation(by: self) else { return nil }
        // The override may call back: it is asked before anything is compared.
        let isForwarding = shouldAutomaticallyForwardAppearanceMethods
        if let fault = faultOfTransition(from: old, to: new, isForwarding) {
            // A refused call lays nothing out either, but the override may have taken views out.
            host.operations.end()
            host.discardBackingsIfRaised()
            host.report(fault, by: self)
            return nil
        }
        // The program may have put the old view elsewhere before it became a child's (rule 5.7).
        let former = old.loadedView?.superview ?? old.formerPlace
        let place = former.flatMap { $0.nearestController === self ? $0 : nil }
        let exchange =
            old === new
            ? ChildExchange(in: self)
            : ChildExchange(in: self, from: old, to: new, place: place, drains: drains)
        exchange.begin()
        host.endOperation()
        return exchange
    }

    private func faultOfTransition(
        from old: ViewController,
        to new: ViewController,
        _ isForwarding: Bool
    ) -> ResourceFault? {
        if !old.isChild(of: self) || !new.isChild(of: self) { return .notSiblings }
        if !isForwarding { return .manualForwarding }
        if choosesChildren { return .hierarchyInconsistency }
        return isExchanging ? .transitionInProgress : nil
    }

    private func finish(_ exchange: ChildExchange, to new: ViewController, then completion: (() -> Void)? = nil) {
        host.operations.resume()
        exchange.finish()
        if !new.isChild(of: self), !new.canBeOwned { host.report(.hierarchyInconsistency, by: new) }
        completion?()
        host.endOperation()
    }
}
