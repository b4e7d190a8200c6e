extension ViewController {
    // Implicitly unwrapped, as in UIKit: it is not nil as long as the rules are kept, but can be nil (rule 2.9).
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    /// The view; this access loads it if necessary.
    ///
    /// Reading a loaded view costs a memory access and a test. It is `nil` only if ``loadView()`` assigned none, or has not done
    /// so yet.
    ///
    /// Setting it assigns a view, or releases the present one with `nil`; no callback is sent. A view has one owner: a
    /// view that another controller owns is refused, ``ResourceFault/viewAlreadyOwned``, and so is a view that a
    /// container's view lies in, ``ResourceFault/hierarchyInconsistency``. A new view takes the old one's place in its
    /// superview, and ends the old one's work unless it contains the old one. Releasing the view of a controller in
    /// service leaves a gap there, and replacing that of a container one in it: its children's views are not moved (rule
    /// 2.12).
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

    /// The view if it is loaded; never loads it.
    @inlinable
    public var viewIfLoaded: View? { loadedView }

    /// Whether the view is loaded; never loads it.
    @inlinable
    public var isViewLoaded: Bool { loadedView != nil }

    /// Loads the view if it is not loaded, as reading ``view`` does.
    public func loadViewIfNeeded() {
        if loadedView == nil { _ = loadMissingView() }
    }

    /// The slow path of ``view``, out of line so that the fast path can be inlined.
    @usableFromInline
    @inline(never)
    func loadMissingView() -> View? {
        guard loading == .idle else {
            host.report(.viewAccessedDuringLoad, by: self)
            return nil
        }
        endForgottenService()
        host.operations.step()
        loading = .runningLoadView
        isViewMissed = false
        announce(.loadView)
        loadView()
        loading = .runningViewDidLoad
        // Loading is complete when loadView() has run, even if it assigned no view (rule 2.8).
        if loadedView == nil { host.report(.loadViewDidNotAssignView, by: self) }
        announce(.viewDidLoad)
        viewDidLoad()
        if loadedView != nil, let state = savedViewState.take() {
            loading = .restoringViewState
            restoreViewState(from: state)
        }
        loading = .idle
        if isAwaited { arriveIfAwaited() } else { layOutIfSkipped() }
        return loadedView
    }

    /// Lays out a view that came on window during its loadView with what it lies in, where the pass skipped it.
    private func layOutIfSkipped() {
        guard pins == 0, let view = loadedView, view.needsLayout else { return }
        guard let place = view.superview, place.window != nil else { return }
        host.operations.resume()
        place.settle(view)
        host.endOperation()
    }

    /// Assigns a view, with the parts of the nib that made it, if one did.
    @usableFromInline
    func assignView(_ new: View?, of nib: LoadedNib? = nil) {
        guard let new else {
            // The setter of an outlet may assign the outlet's value to the view, which has been replaced.
            if loadedView != nil, !isClearingOutlets {
                dropView()
                host.settle()
            }
            return
        }
        // The overridden class name and the program's archives may call back: they are asked before anything is compared.
        let canBeLoadedAgain = loading == .runningLoadView || hasInferredNib
        guard new !== loadedView else {
            // An outlet has assigned the nib's view before.
            if let nib { loadedNib = nib }
            return
        }
        guard new.controller == nil else { return host.report(.viewAlreadyOwned, by: self) }
        guard canHave(new) else { return host.report(.hierarchyInconsistency, by: self) }
        let old = loadedView
        let isInside = old?.isDescendant(of: new) ?? false
        let laysOut = loading != .runningLoadView && old?.window != nil
        guard !laysOut || host.beginLayout(by: self) else { return }
        loadedView = new
        new.controller = self
        // If the new view contains the old one, the old one stays where it is, and its work stays; if it contains the nib's
        // view, the nib's outlets and objects stay.
        let keepsNib = nib == nil && (isInside || loadedNib?.hasView(in: new) ?? false)
        let former = keepsNib ? nil : Swift.exchange(&loadedNib, with: nib)
        if new.superview != nil { formerPlace = nil }
        viewCanBeLoadedAgain = canBeLoadedAgain
        // The program has put it on window before it assigned it: it appears there after the load (rule 3.2).
        if new.window != nil { awaitIfLoading() }
        guard let old else { return }
        replace(old, by: new, isInside: isInside, of: former)
        if laysOut { host.endOperation() } else { host.settle() }
    }

    /// Releases the view without callbacks: takes it out of its superview; it is destroyed if nothing else keeps it.
    func dropView() {
        guard let view = loadedView else { return }
        if parent == nil || view.window != nil {
            formerPlace = nil
        } else if let superview = view.superview {
            // A view that was loaded again and has not returned yet keeps its former place.
            formerPlace = superview
        }
        loadedView = nil
        let former = loadedNib.take()
        isViewMissed = pins > 0
        viewCanBeLoadedAgain = false
        view.controller = nil
        view.unlink()
        view.abandonAppearances()
        endForgottenService()
        endContents(of: former)
        // The views' costs may be overridden, and call back.
        host.countReleased(of: view)
    }

    private func replace(_ old: View, by new: View, isInside: Bool, of former: LoadedNib?) {
        let (place, placements) = (old.superview, old.placements)
        old.controller = nil
        if !isInside { place?.replace(old, by: new) }
        // It stands in the old one's place, as far as an operation that moves that one is concerned.
        new.placements = placements
        if isInside { return }
        old.abandonAppearances()
        endContents(of: former)
        place?.settle(new)
    }

    /// Ends what belonged to a view that has left the controller: its work, and if a nib made it, the outlets.
    ///
    /// A callback of this may load a view, which has its own work and outlets.
    private func endContents(of former: LoadedNib?) {
        loads?.cancelAll()
        if former != nil { clearOutlets() }
    }

    /// Sets the outlets to `nil`, in the order of their names, until another nib has set them.
    func clearOutlets() {
        let outlets = type(of: self).outlets
        let wasClearing = Swift.exchange(&isClearingOutlets, with: true)
        for name in outlets.names where loadedNib == nil { outlets.clear(name, of: self) }
        isClearingOutlets = wasClearing
    }
}
