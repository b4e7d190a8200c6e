extension ViewController {
    /// Starts taking this controller into service, or out of it, by hand: for containers that tell their children
    /// themselves, and owners that are no controllers.
    ///
    /// Into service, the view is loaded first. Then the will-callback is sent, here and to the children whose views lie
    /// in this one's. Begins in the direction under way are counted, and the did-callback comes with the last
    /// ``endAppearanceTransition()``. A begin towards where the controller already is does nothing and needs no end.
    /// One in the opposite direction turns the transition round: one end is due again, and the abandoned did-callback
    /// never comes.
    public func beginAppearanceTransition(_ isAppearing: Bool) {
        guard host.beginOperation(by: self) else { return }
        if isAppearing, !appearance.isTowardsAppeared { prepareToAppear() }
        begin(isAppearing, by: .program)
        host.endOperation()
    }

    /// Ends what ``beginAppearanceTransition(_:)`` started; the last end sends the did-callback.
    ///
    /// Without a begin it is ``ResourceFault/unbalancedAppearanceTransition``, and does nothing.
    public func endAppearanceTransition() {
        guard appearance.isDriven(by: .program) else {
            return host.report(.unbalancedAppearanceTransition, by: self)
        }
        host.operations.resume()
        finish(by: .program)
        host.endOperation()
    }
}
