import ResourceManager

/// The state of a controller that the walk knows from its callbacks alone.
final class Subject {
    enum Phase: String { case disappeared, appearing, appeared, disappearing }

    let id: Int
    let kind: Kind
    private(set) weak var controller: ViewController?
    private(set) var phase = Phase.disappeared
    /// How long the walk ignores the controller's phase.
    enum Exemption { case none, step, untilItAppears }

    private(set) var exemption = Exemption.none
    /// Whether the controller was not laid out since it was loaded, or has to be laid out again.
    var needsLayout = true
    private(set) var isLayingOut = false
    /// Whether it is unknown if the controller needs a layout, because a callback changed the tree during a change of mode.
    var isLayoutOpen = false
    /// The budget at the last layout or the last look; another budget needs a layout, even if it changes back.
    var knownBudget: Budget?
    /// Whether saved state of the last view waits for the next view; `nil` if it is unknown.
    var hasSavedState: Bool? = false
    private var isStateSaved = false
    /// Whether its loadView runs, and whether the program has assigned the view elsewhere: the library does not make this
    /// view again (4.8).
    private(set) var isInLoadView = false
    private(set) var isViewAssigned = false
    /// Whether the program has put the view into a place while the loadView ran.
    private var isPlacedInLoadView = false
    /// Whether its loadView, viewDidLoad or restoreViewState runs (2.18).
    private(set) var isLoading = false
    /// The controller's presenter when it last came into service.
    var presenter: Int?
    /// The tree that the controller covers while it is presented.
    var covers: Int?
    /// The window into which the program has put the controller's view, while that may return there (5.8, 5.23).
    var window: ObjectIdentifier?
    /// The superview of the controller's view in its container, off window, when the program released the view (5.14).
    weak var formerPlace: View?
    /// The last news of a parent that the controller got from the library, whatever the program itself calls.
    enum Move: Equatable {
        case left
        case joining(Int)
        case joined(Int)
        case leaving(Int)
    }

    private(set) var move = Move.left
    /// How often it was loaded, and told of a parent.
    private(set) var loads = 0
    private(set) var newsOfParents = 0
    /// How often the program has taken its view out of the container, or replaced it in a transition.
    var timesTakenOut = 0
    /// The superview of the controller's view after the last callback before the view was released.
    weak var placeBeforeRelease: View?

    init(_ id: Int, _ kind: Kind, _ controller: ViewController) {
        self.id = id
        self.kind = kind
        self.controller = controller
    }

    /// Processes a callback and returns a description of an error in it.
    ///
    /// `isInExempt` says whether a container or presenter is exempt.
    func take(_ callback: Callback, of controller: ViewController, isInExempt: Bool) -> String? {
        let view = controller.viewIfLoaded
        let isExempt = isExempt || isInExempt
        switch callback {
        case .loadView:
            (isLoading, isInLoadView) = (true, true)
            isViewAssigned = false
            isPlacedInLoadView = false
            loads += 1
            needsLayout = true
            isLayoutOpen = false
            knownBudget = nil
            return view == nil ? nil : "is loaded twice"
        case .viewDidLoad:
            isInLoadView = false
            return view?.superview == nil || isPlacedInLoadView ? nil : "is loaded into a superview"
        case .viewWillAppear:
            if isInExempt { exemption = .untilItAppears }
            return view == nil ? "appears without a view" : move(to: .appearing, from: .disappeared, .disappearing)
        case .viewDidAppear:
            defer { if view?.window != nil { exemption = .none } }
            let isAttached = isExempt || isForgotten(controller) || view?.window != nil
            return isAttached ? move(to: .appeared, from: .appearing) : "has appeared off window"
        case .viewWillDisappear:
            let isAttached = isExempt || isForgotten(controller) || phase == .appearing || view?.window != nil
            return isAttached ? move(to: .disappearing, from: .appeared, .appearing) : "disappears off window"
        case .viewDidDisappear:
            let isDetached = isExempt || view?.window == nil || isReturned(controller)
            return isDetached ? move(to: .disappeared, from: .disappearing) : "has disappeared on window"
        case .willTransition:
            needsLayout = true
            return nil
        case .viewWillLayoutSubviews:
            // Changes during the layout need another layout.
            needsLayout = false
            isLayingOut = true
            isLayoutOpen = false
            knownBudget = view?.budget
            return nil
        case .viewDidLayoutSubviews:
            isLayingOut = false
            return nil
        case .saveViewState:
            isStateSaved = true
            return nil
        case .viewWillUnload:
            isStateSaved = false
            guard view != nil, view?.window == nil else { return "is unloaded on window" }
            return phase == .disappeared || isExempt ? nil : "is unloaded while \(phase)"
        case .viewDidUnload:
            // A callback may have released the view first.
            if isStateSaved { hasSavedState = true }
            return view == nil ? nil : "was unloaded and is loaded"
        case .restoreViewState:
            isLoading = true
            hasSavedState = false
            return nil
        case .dismissalWillBegin:
            return controller.presentingViewController == nil ? "is told of a dismissal that has ended" : nil
        default: return nil
        }
    }

    /// Whether a controller, or one that it lies in, has no parent and lies in another's view: it is not told when the window
    /// is hidden, but when its view is taken out of that view (5.9).
    private func isForgotten(_ controller: ViewController) -> Bool {
        var outermost = controller
        while let parent = outermost.parent { outermost = parent }
        return outermost.viewIfLoaded?.superview.map { !($0 is Window) } ?? false
    }

    /// Whether a controller, or one that it lies in, has no owner and lies in a window that is being hidden: the end of a
    /// presentation over it, in a callback of its container, has returned it there (5.8, 5.39).
    private func isReturned(_ controller: ViewController) -> Bool {
        var outermost = controller
        while let parent = outermost.parent { outermost = parent }
        guard let window = outermost.viewIfLoaded?.superview as? WalkedWindow else { return false }
        return window.isShownLast == false && window.rootViewController !== outermost
            && outermost.presentingViewController == nil
    }

    /// Processes `willMove` or `didMove` to a parent, while the controller is a child of `present`, and returns a
    /// description of an error in it (5.2 to 5.5).
    func take(_ callback: Callback, to parent: Int?, from present: Int?, isInCallback: Bool) -> String? {
        let last = move
        newsOfParents += 1
        switch (callback == .willMove, parent) {
        case (true, let parent?):
            move = .joining(parent)
            // A callback may have given it to another owner before it joined the last one.
            if case .joining = last, present == nil { return nil }
            return last == .left && present == nil ? nil : "is to join \(parent) after \(last)"
        case (false, let parent?):
            move = .joined(parent)
            return last == .joining(parent) && present == parent ? nil : "has joined \(parent) after \(last)"
        case (true, nil):
            guard let present, last == .joined(present) || last == .joining(present) else {
                return "is to leave after \(last)"
            }
            move = .leaving(present)
            return nil
        case (false, nil):
            move = .left
            // It has been taken out of service by its container, whatever the program did with its view, unless a callback has
            // presented it since. In a callback, an operation around this may still be in the middle of what it is exempt
            // from.
            let isPresented = controller?.presentingViewController != nil
            if !isInCallback, !isPresented, exemption == .untilItAppears, phase == .disappeared { exemption = .none }
            return last != .left && present == nil ? nil : "has left after \(last)"
        }
    }

    /// Notes that a parent was destroyed, which sends its children no callbacks (6.4); `false` if it was another one.
    func lose(parent: Int) -> Bool {
        guard [.joining(parent), .joined(parent), .leaving(parent)].contains(move) else { return false }
        move = .left
        return true
    }

    /// Whether the news agrees with the present parent, which tells of both halves of a move itself if it is a stack or a
    /// set of tabs.
    func hasNews(of parent: Int?, tellsAll: Bool) -> Bool {
        switch move {
        case .left: parent == nil
        case .joined(let told): parent == told
        // A callback may have given it to another owner before it joined.
        case .joining(let told): parent == nil || parent == told && !tellsAll
        case .leaving: false
        }
    }

    /// Processes the end of a callback.
    func leave(_ callback: Callback) {
        if callback == .viewDidLoad || callback == .restoreViewState { isLoading = false }
    }

    /// Notes that the program puts the view into a place.
    func willPlace() { isPlacedInLoadView = isInLoadView }

    /// Notes that the program assigns another view.
    func willAssignView() {
        isViewAssigned = !isInLoadView
        needsLayout = true
        isLayoutOpen = false
        knownBudget = nil
        // A transition around this call does not show the view any more that it began with.
        timesTakenOut += 1
    }

    var isExempt: Bool { exemption != .none }

    /// Notes that the program took the view away (2.12), perhaps in a callback of its container, or that the window was
    /// destroyed (5.41), whose effects end with the step.
    func exempt(_ exemption: Exemption, inCallback: Bool) {
        guard phase != .disappeared || exemption == .step || inCallback else { return }
        // A draining controller stays in its transition until the drain ends (3.24).
        let isUnderWay = phase == .appearing || phase == .disappearing
        if !isUnderWay { phase = .disappeared }
        if self.exemption != .untilItAppears { self.exemption = isUnderWay ? .untilItAppears : exemption }
    }

    func endStep() { if exemption == .step { exemption = .none } }

    private func move(to next: Phase, from allowed: Phase...) -> String? {
        defer { phase = next }
        return allowed.contains(phase) || isExempt ? nil : "is \(next) after \(phase)"
    }
}

/// The kinds of controllers.
///
/// A new kind needs an entry here.
enum Kind: String, CaseIterable {
    case plain, stack, tabs, list, set

    func make(in walk: Walk) -> ViewController {
        switch self {
        case .plain: return WalkedController(walk)
        case .stack:
            let stack = NavigationController(host: walk.host)
            stack.delegate = walk.listener
            return stack
        case .tabs: return TabController(host: walk.host)
        case .list:
            let list = ListController(host: walk.host)
            list.dataSource = walk.listener
            return list
        case .set: return WalkedSet(host: walk.host, limit: 2)
        }
    }
}

typealias WalkedSet = WorkingSetController<Int, ViewController>

/// A custom container that saves state and has a presentation controller.
final class WalkedController: ViewController {
    private unowned let walk: Walk

    init(_ walk: Walk) {
        self.walk = walk
        super.init(host: walk.host)
    }

    init(_ walk: Walk, coder: Coder) {
        self.walk = walk
        super.init(coder: coder)
    }

    override func loadView() {
        view = BackedView()
        walk.enter(.assigned, of: self)
    }
    override var shouldAutomaticallyForwardAppearanceMethods: Bool {
        walk.enter(.question, of: self)
        return super.shouldAutomaticallyForwardAppearanceMethods
    }
    override var childForAppearance: ViewController? {
        walk.enter(.question, of: self)
        return super.childForAppearance
    }
    override var canLoadViewAgain: Bool {
        walk.enter(.question, of: self)
        return super.canLoadViewAgain
    }
    override func saveViewState(in state: inout Properties) {
        state["saved"] = true
        walk.enter(.saveViewState, of: self)
    }
    override func restoreViewState(from state: Properties) { walk.enter(.restoreViewState, of: self) }
    override func encodeRestorableState(in state: inout Properties) { walk.enter(.encode, of: self) }
    override func decodeRestorableState(from state: Properties) { walk.enter(.decode, of: self) }
    override func makePresentationController(
        presenting presenter: ViewController,
        style: PresentationStyle
    ) -> PresentationController {
        WalkedPresentation(walk, presented: self, presenting: presenter, style: style)
    }
}

/// A view that has a backing while it is on window.
final class BackedView: View {
    override var backingCost: Int { 1 }
    override func makeBacking() -> Any? { true }
}

final class WalkedPresentation: PresentationController {
    private unowned let walk: Walk
    private var calls: [Callback] = []

    init(_ walk: Walk, presented: ViewController, presenting: ViewController, style: PresentationStyle) {
        self.walk = walk
        super.init(presented: presented, presenting: presenting, style: style)
    }

    private func enter(_ callback: Callback) {
        guard let presentedViewController else { return }
        check(callback, of: presentedViewController)
        walk.enter(callback, of: presentedViewController)
    }

    /// Checks that a presentation begins once, that its end is announced before it comes, and that it is the last news.
    private func check(_ callback: Callback, of presented: ViewController) {
        guard callback != .containerLayout else { return }
        let isInOrder =
            switch callback {
            case .presentationWillBegin: calls.isEmpty
            case .dismissalDidEnd: calls.contains(.dismissalWillBegin) && !calls.contains(callback)
            default: calls.first == .presentationWillBegin && !calls.contains(.dismissalDidEnd)
            }
        calls.append(callback)
        if !isInOrder { walk.fail("\(walk.id(presented) ?? 0) is presented in the order \(calls)") }
    }

    override func presentationTransitionWillBegin() { enter(.presentationWillBegin) }
    override func presentationTransitionDidEnd() { enter(.presentationDidEnd) }
    override func dismissalTransitionWillBegin() { enter(.dismissalWillBegin) }
    override func dismissalTransitionDidEnd() { enter(.dismissalDidEnd) }
    override func containerViewDidLayoutSubviews() { enter(.containerLayout) }
}

/// Tells the walk when the window is destroyed.
final class WalkedWindow: Window {
    private weak var walk: Walk?
    /// Whether the last call of makeVisible or hide that was not refused was the former; `nil` before the first one.
    var isShownLast: Bool?

    init(_ walk: Walk) {
        self.walk = walk
        super.init(host: walk.host)
    }

    deinit {
        walk?.noteDropped(self)
        walk?.enter(.deinit, of: nil)
    }
}

/// The delegate and data source through which stacks, lists and the host call the walk.
final class Listener: NavigationControllerDelegate, ListDataSource, ControllerHostDelegate {
    weak var walk: Walk?

    func navigationController(_ navigationController: NavigationController, willShow controller: ViewController) {
        walk?.take(.willShow, of: navigationController, controller)
    }
    func navigationController(_ navigationController: NavigationController, didShow controller: ViewController) {
        walk?.take(.didShow, of: navigationController, controller)
    }
    func numberOfRows(in list: ListController) -> Int { 6 }
    func listController(_ list: ListController, rowAt index: Int) -> View {
        walk?.enter(.row, of: list)
        return list.dequeueReusableRow("row") ?? RowView(kind: "row")
    }
    func controllerHost(_ host: ControllerHost, controllerForRestorationPath path: [String]) -> ViewController? {
        let made = walk?.make(.plain)
        // The walk does not look into the saved state, so it does not know whether that contains a state for this view.
        if let made { walk?.subject(of: made)?.hasSavedState = nil }
        return made
    }
    func controllerHost(_ host: ControllerHost, didReceiveMemoryWarning warning: MemoryWarning) {
        walk?.enter(.hostDelegate, of: nil)
    }
}
