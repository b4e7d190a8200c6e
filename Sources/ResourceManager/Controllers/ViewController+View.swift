extension ViewController {
    // Implicitly unwrapped, as in UIKit: it is there whenever the rules are kept, but must be able to be nil (rule
    // 2.9).
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The view, loaded by this access if it is not there.
    ///
    /// Reading a loaded view costs a load and a test. It is `nil` only if ``loadView()`` assigned none, or while that
    /// runs and has not yet.
    ///
    /// Setting it hands a view in, or with `nil` gives it up; no callback is sent. A view has one owner: one that
    /// another controller owns is refused, ``ResourceFault/viewAlreadyOwned``, and one that a container's view lies in,
    /// ``ResourceFault/hierarchyInconsistency``. A new view takes the old one's place in
    /// its superview. Giving up the view of a controller in service leaves a gap there.
    @inlinable
    public var view: View! {
        get {
            // Not `loadedView ?? loadMissingView()`: joining the two results costs a retain and a release that the
            // optimiser cannot take out.
            if loadedView == nil { _ = loadMissingView() }
            return loadedView
        }
        set { assignView(newValue) }
    }

    /// The view if it is there; never loads it.
    @inlinable
    public var viewIfLoaded: View? { loadedView }

    /// Whether the view is there; never loads it.
    @inlinable
    public var isViewLoaded: Bool { loadedView != nil }

    /// Loads the view if it is not there, as reading ``view`` does.
    public func loadViewIfNeeded() {
        if loadedView == nil { _ = loadMissingView() }
    }

    /// The cold half of ``view``, out of line so that the other half can be inlined.
    @usableFromInline
    @inline(never)
    func loadMissingView() -> View? {
        guard loading == .idle else {
            host.report(.viewAccessedDuringLoad, by: self)
            return nil
        }
        host.operations.step()
        loading = .runningLoadView
        announce(.loadView)
        loadView()
        loading = .runningViewDidLoad
        // That loading is complete is decided by loadView() having run, not by there being a view (rule 2.8).
        if loadedView == nil { host.report(.loadViewDidNotAssignView, by: self) }
        announce(.viewDidLoad)
        viewDidLoad()
        if loadedView != nil, let state = savedViewState.take() {
            loading = .restoringViewState
            restoreViewState(from: state)
        }
        loading = .idle
        arriveIfAwaited()
        return loadedView
    }

    @usableFromInline
    func assignView(_ new: View?) {
        guard new !== loadedView else { return }
        guard let new else { return dropView() }
        guard new.controller == nil else { return host.report(.viewAlreadyOwned, by: self) }
        guard canHave(new) else { return host.report(.hierarchyInconsistency, by: self) }
        let old = loadedView
        loadedView = new
        new.controller = self
        viewCanBeLoadedAgain = loading == .runningLoadView || hasInferredNib
        if let old { replace(old, by: new) }
    }

    /// Gives the view up without a word: out of its superview, and freed if nothing else keeps it.
    func dropView() {
        guard let view = loadedView else { return }
        host.count(released: view.droppedCost)
        formerPlace = parent == nil || view.window != nil ? nil : view.superview
        loadedView = nil
        viewCanBeLoadedAgain = false
        loads?.cancelAll()
        if viewCameFromArchive { type(of: self).outlets.clear(self) }
        viewCameFromArchive = false
        nibObjects = []
        view.controller = nil
        view.unlink()
        for controller in view.topmostControllers() { controller.abandonAppearance() }
    }

    private func replace(_ old: View, by new: View) {
        old.controller = nil
        // A new view may have been wrapped round the old one, which then stays where it is, in it.
        if old.isDescendant(of: new) { return }
        if let place = old.superview {
            place.replace(old, by: new)
            place.settle(new)
        }
        for controller in old.topmostControllers() { controller.abandonAppearance() }
    }
}
