extension ViewController {
    /// Sets the links of a presentation, then takes its steps (rules 5.23 and 5.25).
    func begin(_ presentation: PresentationController, of controller: ViewController) {
        controller.endForgottenService()
        presented = controller
        controller.presenter = self
        controller.presentation = presentation
        presentation.window = servingWindow
        servingWindow?.presentations.append(presentation)
        if presentation.style == .fullScreen { presentation.cover(outermost) }
        let covered = presentation.covered
        let place = covered?.loadedView?.superview
        controller.pins += 1

        controller.take(.load)
        if controller.presentation === presentation { presentation.announceBegin() }
        // A callback may have dismissed it already: no link wants a view in service that the program has placed.
        if let covered, covered.covers > 0 { covered.take(.leave) }
        controller.take(.arrive)
        controller.take(.attach)
        controller.take(.end)
        // A callback may have dismissed it again in a window that is hidden by now: the view stays there.
        if let covered, covered.covers > 0, let place = covered.returnPlace ?? place {
            covered.take(.detach(from: place))
        }
        covered?.take(.end)
        controller.unpin()
        if controller.presentation === presentation { presentation.presentationTransitionDidEnd() }
    }

    /// Takes the steps that end the presentation and all on top of it (rules 5.24, 5.25, 5.28), and cuts the links.
    ///
    /// - Returns: The controllers that were presented, the lowest first.
    @discardableResult
    func endPresentation() -> [ViewController] {
        guard let first = presented, let presentation = first.presentation else { return [] }
        let base = presentation.covered
        presentation.end()
        base?.pins += 1

        base?.take(.load)
        // From here on, a callback may have ended the presentation and presented the same controller again.
        first.announceEnds { first.presentation === presentation }
        var leaving: [ViewController] = []
        while first.presentation === presentation, let next = first.topmost(besides: leaving) {
            leaving.append(next)
            next.take(.leave)
        }
        base?.take(.arrive)
        base?.take(.attach)
        base?.returnOffWindow()
        // What callbacks have presented meanwhile ends too.
        first.announceEnds { first.presentation === presentation }
        let presentees = first.presentation === presentation ? [first] + first.presenteesOfTree : []
        let presentations = presentees.compactMap(\.presentation)
        for presentee in presentees { presentee.endBeingPresented() }
        base?.take(.end)
        base?.forgetReturnPlace()
        base?.unpin()
        if let place = presentation.window {
            for presentee in presentees { presentee.take(.detach(from: place)) }
        }
        for presentee in leaving + presentees { presentee.take(.end) }
        for presentee in presentees where presentee.isFree { presentee.endPresentations() }
        for presentation in presentations.reversed() { presentation.announceEnded() }
        return presentees
    }

    /// Returns the view, without callbacks, to the place where the program or a popover had put it, if that is in a window
    /// that is hidden or is being hidden.
    ///
    /// A popover that is on its way out does not keep its content there.
    private func returnOffWindow() {
        guard covers == 0, isBare, wantedPlace == nil, let place = returnPlace else { return }
        if let popover, popover.holdsContent, popover.window !== place { return }
        if let view = loadedView, view.superview == nil, place.canTake(view) { place.link(view) }
    }

    /// Forgets that place, unless a presentation covers the controller: a callback may have presented again.
    func forgetReturnPlace() {
        if covers == 0 { returnPlace = nil }
    }

    /// Tells the presentations of this controller and of all on top of it of their end, the topmost first, as long as a
    /// condition holds; also those that callbacks begin meanwhile.
    func announceEnds(while condition: () -> Bool) {
        while condition(), let next = topmostUnannounced { next.presentation?.announceEnd() }
    }

    private var topmostUnannounced: ViewController? {
        ([self] + presenteesOfTree).last { $0.presentation?.isEndUnannounced ?? false }
    }

    /// The highest controller in these presentations that still has to disappear.
    private func topmost(besides told: [ViewController]) -> ViewController? {
        ([self] + presenteesOfTree).last { layer in
            layer.appearance.isTowardsAppeared && !told.holds(layer)
        }
    }
}
