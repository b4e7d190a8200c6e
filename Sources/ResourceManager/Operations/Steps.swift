/// One step of an operation, for one controller.
///
/// An operation records the wanted state in the links (parents, stacks, selections, presentations, roots, visibility)
/// and takes the steps of its rules in their order. Each step calls back into the program, which may change the wanted
/// state. So a step is taken only if the links and the present state require it (rule 3.24). All these conditions are
/// in this file.
enum Step {
    /// Load the view, and the view of the child that a container shows.
    case load
    /// Send the will-callback on the way out, to a controller that no link shows any more.
    case leave
    /// Send the will-callback on the way in, to a controller that a link shows.
    case arrive
    /// Put the view into its place, lay it out and give it its backings.
    case attach
    /// Take the view out of its place.
    case detach(from: View)
    /// Send the did-callback, or reverse the transition if no link wants its direction.
    case end
}

extension ViewController {
    /// Takes a step of an operation if it is due.
    func take(_ step: Step, by driver: Appearance.Driver = .operation) {
        guard isDue(step, by: driver) else { return }
        switch step {
        case .load: prepareToAppear()
        case .leave: begin(false, by: driver)
        case .arrive:
            // Without a callback, the step is still due.
            let wasPrepared = isPrepared
            if !wasPrepared { prepareToAppear() }
            if wasPrepared || loadedView != nil && isDue(step, by: driver) { begin(true, by: driver) }
        case .attach: attach()
        case .detach:
            // A callback may show its window again, which brings it back as a view without an owner, but not for ever.
            for _ in 0..<OperationBounds.depth {
                begin(false, by: driver)
                guard isDue(step, by: driver) else { return }
                if !appearance.isTowardsAppeared { break }
            }
            loadedView?.unlink()
        case .end: end(arrivingBy: driver)
        }
    }

    /// Compares a step of an operation with the links and the present state.
    private func isDue(_ step: Step, by driver: Appearance.Driver) -> Bool {
        switch step {
        case .load: wantedPlace != nil && !appearance.isTowardsAppeared
        case .leave: wantedPlace == nil && appearance.isTowardsAppeared
        case .arrive:
            (loadedView != nil || isViewMissed) && !appearance.isTowardsAppeared && wantedPlace != nil
        case .attach: appearance.isTowardsAppeared
        case .detach(let place): wantedPlace == nil && isIn(place)
        case .end: appearance.isDriven(by: driver)
        }
    }

    /// The view in which the links want this controller's view in service; `nil` if they want it out of service.
    ///
    /// Inlined, because most callers only compare it with `nil`.
    @inline(__always)
    var wantedPlace: View? {
        if let parent { return parent.placeWanted(for: self) }
        return wantedPlaceWithoutParent
    }

    private var wantedPlaceWithoutParent: View? {
        guard covers == 0 else { return nil }
        var layer = self
        while let presenter = layer.presenter {
            guard let presentation = layer.presentation, !presentation.isEnding else { return nil }
            layer = presenter.outermost
        }
        if let window = layer.rootedWindow { return window.wants(layer) ? window : nil }
        if let popover = layer.popover, popover.holdsContent { return popover.place }
        // The program put the view there: the controller that covers it goes there too, and this one returns there.
        let place = layer === self ? returnPlace : presentation?.window
        return place?.window == nil ? nil : place
    }

    @inline(__always)
    private func placeWanted(for child: ViewController) -> View? {
        guard appearance.isTowardsAppeared else { return nil }
        if showsOneChild { return shows(child) ? loadedView : nil }
        if let exchange { return exchange.wants(child) ? exchange.place : nil }
        // Other containers do not place their children: a child's place is where the program put it.
        return loadedView.flatMap { child.isViewInside($0) ? $0 : nil }
    }

    private var isInWantedPlace: Bool { wantedPlace.map(isIn) ?? false }

    /// Whether the view hangs in a place: a child's at any depth, but not in another controller's view there; any other as a
    /// direct subview.
    private func isIn(_ place: View) -> Bool {
        guard let view = loadedView else { return false }
        if view.isSubview(of: place) { return true }
        guard let parent, view !== place, view.isDescendant(of: place) else { return false }
        // Before it became this parent's child, it may have been put into the view of another one.
        return view.superview?.nearestController === parent
    }

    // MARK: Parents

    /// Makes a controller a child, after removing it from its present parent, with its view if `takesViewOut`.
    func gain(_ child: ViewController, takingViewOut takesViewOut: Bool = false) {
        child.leaveParent(takingViewOut: takesViewOut)
        child.announceLeft()
        guard child.isFree else { return }
        child.endForgottenService()
        let move = child.moves &+ 1
        child.announceWillMove(to: self)
        // A callback may have added it elsewhere, and even removed it again.
        guard child.moves == move, canOwn(child) else { return }
        children.append(child)
        child.parent = self
        child.isJoiningParent = true
    }

    /// Removes the controller from its parent.
    ///
    /// The view leaves the parent's view too if the parent shows one child, or with `takesViewOut`.
    func leaveParent(takingViewOut takesViewOut: Bool = false) {
        guard let old = parent else { return }
        isBeingRemoved = true
        endPresentations()
        // A callback may have removed it, and even added it again.
        guard isBeingRemoved else { return }
        isBeingRemoved = false
        if takesViewOut || old.choosesChildren { takeOut(of: old) }
        if isChild(of: old), loadedView?.superview == nil, appearance.phase == .appeared { disappearWithoutPlace() }
        if isChild(of: old) { endPassedOn(by: old) }
        guard isChild(of: old) else { return }
        old.children.remove(self)
        parent = nil
        // Another container does not put the view back there.
        formerPlace = nil
        isLeavingParent = true
        old.didLose(self)
        if isFree { endPresentations() }
        announceLeft()
    }

    /// Takes the view out of a container, while this is still the container's child: the callbacks that the container
    /// forwards meanwhile reach this controller and those below it.
    ///
    /// One of these callbacks may bring it back in, but not for ever.
    private func takeOut(of container: ViewController) {
        for _ in 0..<OperationBounds.depth {
            guard isChild(of: container), let place = container.loadedView, isIn(place) else { return }
            loadedView?.takeOut()
        }
    }

    /// Has a child disappear whose view the program dropped in service (rule 2.12), and may have loaded again since: no move of
    /// the view does.
    private func disappearWithoutPlace() {
        beginMove(to: nil)
        endMove(isServing: false)
    }

    /// Ends a transition that the parent forwarded and will no longer end; reverses it if the view has not come on
    /// window.
    private func endPassedOn(by parent: ViewController) {
        guard appearance.isDriven(by: .parent) else { return }
        if appearance.phase == .appearing, loadedView?.window == nil, !parent.appearance.isDriven(by: .program) {
            begin(false, by: .parent)
        }
        finish(by: .parent)
    }

    /// Tells the controller that it has left its parent, before it is told of the next one.
    private func announceLeft() {
        guard isLeavingParent else { return }
        isLeavingParent = false
        announceDidMove(to: nil)
    }

    // MARK: In and out

    /// Brings the controller in if a link wants it: load, will, attach, layout, backing, did (rule 3.4).
    func bringIn() {
        pins += 1
        take(.load)
        take(.arrive)
        take(.attach)
        take(.end)
        unpin()
    }

    /// Whether ``prepareToAppear()`` has nothing to do, and calls nothing back.
    var isPrepared: Bool { loadedView != nil && children.isEmpty && !isAwaited }

    /// Loads the view, and the view of the child that a container shows (rule 2.15), for the next step.
    ///
    /// The child's view is put into the container's, where its appearance is looked up when it is forwarded (rule
    /// 5.10); off window this sends no callbacks. None of the views is unloaded meanwhile (rule 2.18).
    func prepareToAppear() {
        guard loading != .runningLoadView else {
            isAwaited = true
            return
        }
        pins += 1
        loadViewIfNeeded()
        // The loads of two children may show each other for ever.
        for _ in 0..<OperationBounds.depth {
            let shown = childForAppearance
            if let shown { prepareShown(shown) }
            for child in children { if isReplaced(child) { leaveBehind(child) } else { bringBack(child) } }
            // A callback may have changed the child that the container shows.
            if childForAppearance === shown { break }
        }
        unpin()
    }

    /// Loads the view of the child that this container shows, and puts it into the container's if it is still to be shown
    /// then.
    private func prepareShown(_ child: ViewController) {
        guard child.isChild(of: self), loadedView != nil else { return }
        // A container that shows one child takes it out next.
        guard !child.isBeingRemoved || showsOneChild else { return }
        child.prepareToAppear()
        guard shows(child), child.isChild(of: self) else { return }
        if let view = loadedView, let childView = child.loadedView, !childView.isDescendant(of: view) {
            put(child, into: view)
        }
    }

    /// Loads a child whose view was released while it hung in this one's, and puts it back there (rule 5.14).
    private func bringBack(_ child: ViewController) {
        guard child.isChild(of: self), !child.isBeingRemoved, !isReplaced(child), wantsBack(child) else { return }
        guard let view = loadedView else { return }
        guard let place = child.formerPlace, place.isDescendant(of: view) else { return }
        child.formerPlace = nil
        child.prepareToAppear()
        guard child.isChild(of: self), !isReplaced(child), wantsBack(child) else { return }
        guard place.isDescendant(of: view), child.loadedView?.superview == nil else { return }
        put(child, into: place)
    }

    /// Puts a child's view into a view of this controller's, or has the end of its loadView do that (rule 3.2); a child comes
    /// into service with it, or later if this controller is not in service yet.
    ///
    /// - Returns: `false` if the place cannot take the view; then nothing changes.
    @discardableResult
    func put(_ child: ViewController, into place: View) -> Bool {
        guard let view = child.loadedView, place.canTake(view) else { return false }
        if child.loading == .runningLoadView {
            (child.formerPlace, child.isAwaited) = (place, true)
            return true
        }
        // Out of service no callback is due, and a transition that an operation around this one began is left to it.
        if appearance.isTowardsAppeared {
            view.move(to: place, with: [child], of: self)
        } else {
            place.link(view)
            // On window, where a callback has put the place already, the budget comes before this controller has appeared.
            if place.window != nil {
                place.setNeedsLayout()
                hasLateView = true
            }
        }
        return true
    }

    /// Takes out the view of a child that was on its way out when the container left service: it does not return with it.
    private func leaveBehind(_ child: ViewController) {
        guard let view = loadedView, appearance.phase == .disappeared else { return }
        if child.isViewInside(view), !child.appearance.isTowardsAppeared { child.loadedView?.unlink() }
    }

    /// Ends the need of an operation for the view.
    func unpin() {
        pins -= 1
        arriveIfAwaited()
    }

    /// Has the controller come into service after its load, if that is under way.
    func awaitIfLoading() {
        if loading == .runningLoadView { isAwaited = true }
    }

    /// Comes into service if a link or its place wants it, after an operation skipped it because it was loading, unless
    /// another operation continues with it.
    func arriveIfAwaited() {
        guard isAwaited, pins == 0, loading == .idle else { return }
        isAwaited = false
        host.operations.resume()
        if let parent, parent.choosesChildren {
            parent.showAgain(self)
        } else if parent == nil, wantedPlace != nil {
            bringIn()
        } else if let parent, parent.shows(self), let place = parent.loadedView, loadedView?.superview == nil {
            parent.put(self, into: place)
        } else if let parent, formerPlace != nil {
            parent.bringBack(self)
        } else if !appearance.isTowardsAppeared, let view = loadedView, let place = view.superview {
            // The program put it there during the load.
            view.unlink()
            view.move(to: place, with: [self])
        }
        host.endOperation()
    }

    private func attach() {
        guard let place = wantedPlace, let view = loadedView else { return }
        let isThere = isIn(place)
        // A view that has appeared there is laid out.
        guard appearance.phase == .appearing || !isThere else { return }
        if !isThere {
            guard place.canTake(view) else { return host.report(.hierarchyInconsistency, by: self) }
            place.link(view)
        }
        if let superview = view.superview { superview.settle(view) }
    }

    /// Ends a transition of an operation; reverses it if it arrives where no link wants the view, or leaves a wanted
    /// place.
    private func end(arrivingBy driver: Appearance.Driver) {
        if appearance.phase == .disappearing, isDue(.arrive, by: driver) {
            take(.arrive, by: driver)
            take(.attach)
        }
        if appearance.phase == .appearing, !isInWantedPlace { begin(false, by: driver) }
        if appearance.phase == .disappearing { takeOutOfService() }
        // It is back there, and the callback may give it another place.
        forgetReturnPlace()
        finishWithParent(by: driver)
    }

    /// Ends a driver's part of a transition; a controller that came into a parent that is on its way in or out appears or
    /// disappears with the parent.
    private func finishWithParent(by driver: Appearance.Driver) {
        let serial = appearance.serial
        if appearance.isUnderWay, isFollowing { begin(appearance.phase == .appearing, by: .parent) }
        // If a callback has begun another transition, that one waits for its own drivers.
        if appearance.serial == serial { finish(by: driver) }
    }

    /// Whether the parent is on the same way as the controller, and will end its transition with its own.
    private var isFollowing: Bool {
        // The override may call back: the states are compared afterwards.
        guard let parent, parent.shouldAutomaticallyForwardAppearanceMethods, parent.holds(self) else { return false }
        return appearance.isUnderWay && parent.appearance.phase == appearance.phase
    }

    /// Takes the view out of the place where the library put it, if the operation that began this has not done so yet.
    private func takeOutOfService() {
        passOn()
        // A callback of a child may have reversed the transition.
        guard !appearance.isTowardsAppeared, let superview = loadedView?.superview, wantedPlace == nil else { return }
        guard let parent else {
            // The end of a presentation has put it back into a window that is hidden by now.
            let isBack = covers == 0 && superview === returnPlace && superview.window == nil
            if superview is Window, !isBack { loadedView?.unlink() }
            return
        }
        if parent.showsOneChild || parent.exchange?.old === self, let place = parent.loadedView, isIn(place) {
            loadedView?.unlink()
        }
    }

    /// Begins a transition: sends the will-callback, to this controller and to the children in the view.
    ///
    /// Into service, the view must be loaded: until then only the program can begin the transition.
    func begin(_ isAppearing: Bool, by driver: Appearance.Driver) {
        if isAppearing, loading == .runningLoadView, driver != .program {
            isAwaited = true
            return
        }
        switch appearance.begin(isAppearing, by: driver) {
        case .alreadyThere: return
        // A call from inside the will-callback: the children have not received theirs yet.
        case .joined: return passOn()
        case .started: break
        }
        host.operations.step()
        announce(isAppearing ? .viewWillAppear : .viewWillDisappear)
        if isAppearing { viewWillAppear() } else { viewWillDisappear() }
        passOn()
    }

    /// Sends the will-callback of the transition under way to the children in the view, once (rule 3.19).
    private func passOn() {
        guard appearance.isUnderWay, !appearance.isPassedOn else { return }
        let (serial, isAppearing) = (appearance.serial, appearance.isTowardsAppeared)
        // If a callback, or the container when it is asked whether it forwards, has reversed the transition, the children
        // receive that of the other direction.
        func isDue(for child: ViewController) -> Bool {
            appearance.serial == serial && appearance.isUnderWay && passesOn(isAppearing, to: child)
        }
        if shouldAutomaticallyForwardAppearanceMethods {
            // The will-callback may have released the views of children that had been prepared.
            if isAppearing { for child in children where child.loadedView == nil { bringBack(child) } }
            for child in children where isDue(for: child) {
                if isAppearing, !child.appearance.isTowardsAppeared { child.prepareToAppear() }
                if isDue(for: child) { child.begin(isAppearing, by: .parent) }
            }
        }
        if appearance.serial == serial { appearance.isPassedOn = true }
    }

    /// Ends a driver's part of a transition; after the last one sends the did-callback, here and to the children.
    func finish(by driver: Appearance.Driver) {
        guard appearance.isDriven(by: driver) else { return }
        passOn()
        if appearance.isTowardsAppeared { layOutIfLate() }
        guard appearance.end(by: driver) == .finished else { return }
        let serial = appearance.serial
        let hasAppeared = appearance.phase == .appeared
        host.operations.step()
        announce(hasAppeared ? .viewDidAppear : .viewDidDisappear)
        if hasAppeared { viewDidAppear() } else { viewDidDisappear() }
        let isForwarding = hasAppeared && shouldAutomaticallyForwardAppearanceMethods
        for child in children where appearance.serial == serial && child.isChild(of: self) {
            guard child.appearance.isDriven(by: .parent) else { continue }
            if child.appearance.isTowardsAppeared != hasAppeared {
                let isOther = hasAppeared && !(isForwarding && passesOn(true, to: child))
                // A child that an exchange takes out stays on its way out.
                if isOther, child.appearance.leave(.parent) { continue }
                if isOther { child.takeOutOfService() } else { child.begin(hasAppeared, by: .parent) }
            } else if hasAppeared, !child.isInWantedPlace {
                // An exchange has sent the will-callback, and not put the view there yet.
                child.take(.attach)
                // A callback has released the view.
                if child.loadedView == nil { child.begin(false, by: .parent) }
            }
            child.finish(by: .parent)
        }
    }

    /// Lays out the view of a child that came late, and gives it its backings: an operation in a callback had done that with
    /// this controller's view before.
    private func layOutIfLate() {
        guard hasLateView else { return }
        hasLateView = false
        loadedView?.complete()
    }

    /// Whether a container that forwards its transitions forwards this one to a child: its view is inside, and no
    /// exchange is taking it out.
    private func passesOn(_ isAppearing: Bool, to child: ViewController) -> Bool {
        holds(child) && (!isAppearing || !isReplaced(child))
    }

    /// Whether a child's view is inside this controller's.
    private func holds(_ child: ViewController) -> Bool {
        child.isChild(of: self) && loadedView.map(child.isViewInside) ?? false
    }

    /// Sets the state to out of service without a callback, because the tree around the view was released.
    func abandonAppearance() {
        guard appearance.phase != .disappeared else { return }
        appearance.abandon()
        // By the views: what lies in the view of a child that is gone has no parent.
        for view in viewIfLoaded?.subviews ?? [] { view.abandonAppearances() }
        // The program has dropped their views, and may have loaded them again since (rule 2.12).
        for child in children where child.loadedView?.superview == nil { child.abandonUnlessDriven() }
    }

    /// As above, unless an operation or a drain is bringing the controller in or out, which continues.
    func abandonUnlessDriven() {
        if !appearance.isDriven(by: .operation), !appearance.isDriven(by: .drain) { abandonAppearance() }
    }

    /// Sets the state to out of service, without a callback, if nothing else will: no owner is left, and the program has dropped
    /// the view, and may have loaded it again since (rule 2.12), or its window is being destroyed.
    func endForgottenService() {
        if appearance.phase == .appeared, loadedView?.superview == nil, isFree { endService() }
    }

    /// Sets the state from in service to out of service, without a callback, for this controller and those in its view.
    func endService() {
        guard appearance.phase == .appeared else { return }
        appearance.endService()
        for controller in loadedView?.subviews.flatMap({ $0.topmostControllers() }) ?? [] { controller.endService() }
    }

    // MARK: With the views

    /// Begins the transition that moving the view to another superview, or with `nil` out of its own, causes.
    ///
    /// A child follows its parent. A controller without a parent follows its view on window and off it (rules 5.8 to
    /// 5.10).
    ///
    /// - Parameters:
    ///   - place: The superview.
    ///   - isOwner: Whether the view is the controller's own: another one that callbacks give it is moved instead.
    /// - Returns: Whether a callback has brought the controller back in when it was to leave.
    @discardableResult
    func beginMove(to place: View?, isOwner: Bool = false) -> Bool {
        let view = loadedView
        var isForwarded = isForwardedByParent
        if directionOfMove(to: place, isForwarded) == true, !appearance.isTowardsAppeared {
            let former = parent
            prepareToAppear()
            // The load may give it to another parent. The same one is not asked again: the override may call back, and
            // change the child that has been prepared.
            if parent !== former { isForwarded = isForwardedByParent }
        }
        guard let isAppearing = directionOfMove(to: place, isForwarded) else { return false }
        // A callback has released the view.
        guard !isAppearing || loadedView === view || isOwner && loadedView != nil else { return false }
        begin(isAppearing, by: .operation)
        return !isAppearing && appearance.isTowardsAppeared
    }

    private var isForwardedByParent: Bool { parent?.shouldAutomaticallyForwardAppearanceMethods ?? true }

    private func directionOfMove(to place: View?, _ isForwarded: Bool) -> Bool? {
        guard let parent else { return directionOfBareMove(to: place) }
        guard isForwarded else { return nil }
        guard let place, let container = parent.viewIfLoaded, place.isDescendant(of: container) else { return false }
        if parent.appearance.isTowardsAppeared { return true }
        // The container is out of service, or has told its children that it leaves: a view that was in service elsewhere
        // leaves it.
        return appearance.isTowardsAppeared ? false : nil
    }

    private func directionOfBareMove(to place: View?) -> Bool? {
        let isOnWindow = viewIfLoaded?.window != nil
        // In a window that is being shown its turn may not have come yet.
        if place?.window != nil { return isOnWindow && appearance.phase != .disappeared ? nil : true }
        // It received no callback when the container around it left the window; now it is taken out itself.
        let isForgotten = place == nil && appearance.phase == .appeared
        return isOnWindow || isForgotten ? false : nil
    }

    /// Whether the controller has had no owner since its view began to move; an owner has ended the transition that
    /// ``beginMove(to:isOwner:)`` began then.
    func isStillBare(since serial: UInt32) -> Bool {
        isBare && (appearance.serial == serial || appearance.isDriven(by: .operation))
    }

    /// Ends the transition that ``beginMove(to:isOwner:)`` began, reversed if the view has not come on window after all,
    /// the parent is on its way out, or the view that was to leave has come on window with what it lies in.
    func endMove(isServing: Bool) {
        guard appearance.isDriven(by: .operation) else { return }
        var canServe: Bool { parent.map(\.appearance.isTowardsAppeared) ?? (loadedView?.window != nil) }
        if appearance.phase == .appearing, !isServing || !canServe { begin(false, by: .operation) }
        if appearance.phase == .disappearing, canServe, loadedView?.window != nil { begin(true, by: .operation) }
        finishWithParent(by: .operation)
    }
}

extension ViewController {
    /// The condition of rule 4.8.
    var canUnloadView: Bool {
        // The override may bring the controller into service.
        guard loadedView != nil, canLoadViewAgain else { return false }
        guard let loadedView, !loadedView.hasSuperview else { return false }
        return isAtRest
    }

    /// Whether the view may be released: neither a load nor a transition is under way, and no operation needs it (rules
    /// 2.18 and 4.24).
    var isAtRest: Bool { !isNeeded && !isLoading }

    /// Whether the controller is on its way into service or out of it, or lies in a controller that is.
    private var isNeeded: Bool {
        if pins > 0 || appearance.isUnderWay { return true }
        guard let parent, parent.isNeeded, let view = parent.loadedView else { return false }
        return isViewInside(view)
    }

    /// Whether this controller, or a child at any level, is loading its view.
    private var isLoading: Bool { loading != .idle || children.contains(where: \.isLoading) }

    /// Releases the view after callbacks, unless they have brought it into service or loaded another one (rule 4.27).
    ///
    /// - Parameters:
    ///   - condition: Has to hold before and after each callback.
    ///   - willUnload: The first callback.
    /// - Returns: The children whose views lay in the view, or `nil` if it stays.
    func giveUpView(while condition: (ViewController) -> Bool, after willUnload: () -> Void) -> [ViewController]? {
        guard let view = loadedView, !isGivingUpView, condition(self) else { return nil }
        isGivingUpView = true
        defer { isGivingUpView = false }
        willUnload()
        // If the callback has released the view itself, nothing is left to do.
        guard loadedView != nil else { return [] }
        guard loadedView === view, condition(self) else { return nil }
        let state = currentViewState
        guard loadedView === view, condition(self) else { return nil }
        savedViewState = state
        let inside = children.filter { $0.isViewInside(view) }
        for child in inside {
            child.loadedView?.unlink()
            // A controller that its container forgot has children in service still (rule 5.8).
            child.endService()
        }
        dropView()
        return inside
    }
}

extension View {
    /// Takes the controllers out of service whose views lay in a tree that was released, without callbacks; an operation
    /// or a drain that one of them is in continues with it.
    func abandonAppearances() {
        for controller in topmostControllers() { controller.abandonUnlessDriven() }
    }

    /// Moves the view and notifies the controllers that thereby come on window or leave it (rules 5.8 to 5.10).
    ///
    /// With `parent` the library places the view of its child: it stays out if a callback removes or replaces the child.
    func move(to place: View?, with controllers: [ViewController], of parent: ViewController? = nil) {
        let (placements, owner) = (placements, controller)
        let wasServing = place?.window != nil
        let free = controllers.filter(\.isBare).map { ($0, serial: $0.appearance.serial) }
        var isWantedHere = false
        for controller in controllers where controller.beginMove(to: place, isOwner: controller === owner) {
            isWantedHere = true
        }
        // A callback may have given the controller of this view another view, which has taken this one's place and is
        // moved instead, or none.
        let moved = owner.map(\.loadedView) ?? self
        var (isRemoved, isReplaced) = (false, false)
        if let parent, let child = owner {
            isRemoved = !child.isChild(of: parent)
            isReplaced = !isRemoved && parent.isReplaced(child)
        }
        // A callback may have put the view into another place, and even taken it out again, or put it back into service,
        // which counts as the later wish; it may have put the place into the view, or given a controller another parent, a
        // window or a presenter, and even taken it away again.
        if let moved, moved.placements == placements, !isWantedHere,
            free.allSatisfy({ $0.parent != nil || $0.isStillBare(since: $1) }),
            !isRemoved, !isReplaced,
            place.map({ $0.canTake(moved) && $0.canTake(viewsOf: controllers) }) ?? true
        {
            // A presentation that ends does not return the view to an earlier place.
            if let controller = moved.controller, controller.returnPlace != nil { controller.returnPlace = place }
            if let place {
                place.link(moved)
                place.settle(moved)
                // A view that is put here by its own loadView is laid out after its load.
                if wasServing { for controller in controllers { controller.awaitIfLoading() } }
            } else {
                moved.unlink()
            }
        }
        // The controllers appear wherever the later wish has put the view on window, or with the place.
        let view = moved ?? self
        let isServing = view.window != nil || !wasServing && place.map(view.isDescendant) ?? true
        for controller in controllers { controller.endMove(isServing: !isReplaced && isServing) }
    }

    /// Gives a view that has just come on window its budget, lays it out and gives it its backings (rule 3.4).
    func settle(_ view: View) {
        guard window != nil else { return }
        if view.share != nil, !(self is Window) {
            setNeedsLayout()
            layOut()
        } else {
            view.budget = budget.reduced(by: reserve)
        }
        view.complete()
    }

    /// Lays the view out, and makes the missing backings, if it is on window.
    fileprivate func complete() {
        if window != nil { layOut() }
        // Callbacks of the layout may have taken it out again.
        if let window { display(in: window) }
    }
}
