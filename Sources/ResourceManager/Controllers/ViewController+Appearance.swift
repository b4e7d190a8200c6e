extension ViewController {
    /// Starts bringing this controller into service, or out of it: for containers that forward appearances themselves,
    /// and for owners that are not controllers.
    ///
    /// Into service, the view is loaded first. Then the will-callback is sent, to this controller and to the children
    /// whose views lie in its view. Begins in the same direction are counted; the last ``endAppearanceTransition()``
    /// sends the did-callback. A begin for the state that the controller is in does nothing and needs no end. A begin
    /// in the opposite direction reverses the transition: one end is due again, and the did-callback of the abandoned
    /// transition is never sent.
    public func beginAppearanceTransition(_ isAppearing: Bool) {
        guard host.beginOperation(by: self) else { return }
        if isAppearing, !appearance.isTowardsAppeared { prepareToAppear() }
        begin(isAppearing, by: .program)
        host.endOperation()
    }

    /// Ends what ``beginAppearanceTransition(_:)`` started; the last end sends the did-callback.
    ///
    /// Without a begin it reports ``ResourceFault/unbalancedAppearanceTransition`` and does nothing.
    public func endAppearanceTransition() {
        guard appearance.isDriven(by: .program) else {
            return host.report(.unbalancedAppearanceTransition, by: self)
        }
        host.operations.resume()
        finish(by: .program)
        host.endOperation()
    }
}
