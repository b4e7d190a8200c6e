/// The owner of one part of a service that is expensive to hold: it builds that part, its *view*, at first use, and
/// releases it when memory is short and it is not in use.
///
/// Subclass it, build the view in ``loadView()`` and fill it in ``viewDidLoad()``. Reading ``view`` returns the view,
/// and builds it first if necessary:
///
/// ```swift
/// final class IndexController: ViewController {
///     override func loadView() { view = IndexView() }
///     override func viewWillAppear() { startAnswering() }
///     override func viewDidDisappear() { stopAnswering() }
/// }
/// ```
///
/// The order of callbacks: `init`; at first use ``loadView()`` and ``viewDidLoad()``; each time it goes into service
/// ``viewWillAppear()`` and ``viewDidAppear()``, and out of service ``viewWillDisappear()`` and ``viewDidDisappear()``;
/// at a memory warning ``didReceiveMemoryWarning()``, which off window leads to ``viewWillUnload()`` and
/// ``viewDidUnload()``. After that, the next use loads the view as the first one did. `deinit` sends none of these.
///
/// All callbacks are synchronous, in the isolation of the host. Overrides may call `super`; an override of
/// ``didReceiveMemoryWarning()`` must.
open class ViewController: Responder {
    /// The host that the controller lives in.
    public final let host: ControllerHost

    /// The container that this controller is a child of; not kept alive.
    public internal(set) final var parent: ViewController? {
        get { weakParent.wrappedValue }
        set {
            weakParent = Weak(wrappedValue: newValue)
            parentIdentity = newValue.map(ObjectIdentifier.init)
        }
    }
    // Read and assigned only as a whole, so no two accesses can overlap.
    @exclusivity(unchecked) private final var weakParent = Weak<ViewController>(wrappedValue: nil)
    /// Identifies the parent, which removes this in its deinit: most steps only compare the parent, and need no retain.
    private final var parentIdentity: ObjectIdentifier?
    /// The controllers that this one contains, in the order in which they were added; kept alive.
    public internal(set) final var children: [ViewController] = []

    // Read and assigned only as a whole, so no two accesses can overlap, and `view` need not pay for the check, which
    // is most of the cost of reading a loaded view.
    @exclusivity(unchecked) @usableFromInline final var loadedView: View?
    final var loading = Loading.idle
    /// The view came from `loadView()`, or a nib existed when it was assigned.
    final var viewCanBeLoadedAgain = false
    /// Whether the view was released while an operation that brings the controller in needed it, and is not loaded again yet.
    final var isViewMissed = false
    final var isGivingUpView = false
    /// Whether the outlets of a former view are being set to `nil`, which may not drop the present one.
    final var isClearingOutlets = false
    /// An operation skipped the controller because it was loading.
    final var isAwaited = false
    /// Whether a child's view came into the view after that was laid out on window, and is not laid out yet.
    final var hasLateView = false
    /// The links to the parent are cut, but the callback is still due.
    final var isLeavingParent = false
    /// The links to the parent are made, but the callback is still due.
    final var isJoiningParent = false
    /// How often the library has told it of a parent.
    final var moves: UInt32 = 0
    /// Whether it is about to leave its parent: if the end of its presentations uncovers that, it returns without this one.
    final var isBeingRemoved = false
    /// Whether ``degrade()`` was called without a later ``recover()``.
    public internal(set) final var isDegraded = false
    final var appearance = Appearance()
    /// How many operations that bring the controller in need its view.
    final var pins: Int16 = 0

    /// The name of the controller in transcripts and listings; its class if `nil`.
    public final var title: String?
    /// The name under which the controller is kept over a restart; with `nil`, it and all below it are not kept (rule
    /// 5.40).
    public final var restorationIdentifier: String?

    /// The modes that the controller can work in; `nil`, the default, stands for all.
    public final var supportedModes: Set<Environment.Mode>?

    // State that most controllers do not have.
    final var presenter: ViewController? {
        get { weakPresenter.wrappedValue }
        set { weakPresenter = Weak(wrappedValue: newValue) }
    }
    // Read and assigned only as a whole, so no two accesses can overlap.
    @exclusivity(unchecked) private final var weakPresenter = Weak<ViewController>(wrappedValue: nil)
    final var presentation: PresentationController?
    final var presented: ViewController?
    final var rootedWindow: Window? {
        get { weakRootedWindow.wrappedValue }
        set { weakRootedWindow = Weak(wrappedValue: newValue) }
    }
    // Read and assigned only as a whole, so no two accesses can overlap.
    @exclusivity(unchecked) private final var weakRootedWindow = Weak<Window>(wrappedValue: nil)
    final weak var popover: Popover?
    final var nibSource = NibSource.inferred
    /// How many full-screen presentations cover the tree.
    final var covers: Int16 = 0
    final var savedViewState: Properties?
    /// The parts of a nib that end with the view, if one made it.
    final var loadedNib: LoadedNib?
    final var loads: LoadList?
    /// The exchange of children that is under way.
    final var exchange: ChildExchange?
    /// The view that the program had put the view into before it was covered.
    @Weak final var returnPlace: View?
    /// Where the view hung in its container's view, which was off window, when it was released; `nil` once a new view has
    /// been put anywhere.
    @Weak final var formerPlace: View?

    /// The stage of a load.
    enum Loading {
        case idle
        case runningLoadView
        case runningViewDidLoad
        case restoringViewState
    }

    /// Makes a controller, without its view, and registers it with the host.
    ///
    /// Controllers receive memory warnings in the order in which this initialiser ran. Keep an initialiser of your own
    /// small. It may read ``view``, which loads it immediately.
    public init(host: ControllerHost) {
        self.host = host
        super.init()
        enlist(.`init`)
    }

    /// Makes a controller whose view is in a nib of this name, read when the view is first needed (rule 1.5).
    ///
    /// If the host's archives have no nib of that name, the load reports ``ResourceFault/nibNotFound(_:)``, or if it
    /// cannot be read, ``ResourceFault/unreadableArchive(_:problem:)``, and continues with an empty view.
    public init(nibName: String, host: ControllerHost) {
        self.host = host
        nibSource = .named(nibName)
        super.init()
        enlist(.`init`)
    }

    /// Makes a controller from a scene of a storyboard (rule 1.8).
    ///
    /// The archive provides its ``title``, ``restorationIdentifier`` and, under `modes`, its ``supportedModes``. Does
    /// not load the view. ``Responder/awakeFromNib()`` follows.
    public init(coder: Coder) {
        host = coder.host
        if let scene = coder.scene { nibSource = .scene(scene) }
        super.init()
        title = coder["title"]
        restorationIdentifier = coder["restorationIdentifier"]
        let modes: [String]? = coder["modes"]
        supportedModes = modes.map { Set($0.map(Environment.Mode.init(rawValue:))) }
        enlist(.initCoder)
    }

    private func enlist(_ event: LifecycleEvent.Kind) {
        host.controllers.append(self)
        announce(event)
    }

    deinit {
        // No callbacks are sent any more (rule 6.4), but this controller's presentations must not stay in the window.
        if let presented {
            presented.endPresentationSilently()
            host.discardBackingsIfRaised()
        }
        announce(.`deinit`)
        loads?.end()
        // They have no parent any more, except those that a subclass's deinit has given to another container.
        for child in children where child.isChild(of: self) { child.parentIdentity = nil }
    }

    /// Whether this controller is a child of a container.
    final func isChild(of container: ViewController) -> Bool { parentIdentity == ObjectIdentifier(container) }

    /// The class name by which nibs are looked up, with or without the module (rule 1.6).
    open var className: String { String(describing: type(of: self)) }

    /// In service, the superview of the root view; otherwise the parent, the presenter or the host (rule 5.37).
    open override var next: Responder? {
        if let presenter { return presenter }
        if let superview = loadedView?.superview { return superview }
        if let parent { return parent }
        if let rootedWindow { return rootedWindow }
        return host
    }

    // MARK: The view

    /// Builds the view and assigns it to ``view``; only the library calls it, when the view is needed and not loaded.
    ///
    /// The default takes the view of the storyboard scene; otherwise of the nib that was named; otherwise of a nib with
    /// the name of the class, with or without `Controller` at its end; otherwise an empty view (rule 2.6). An override
    /// does not call `super`, which would only build a view to be discarded. Until it has assigned a view, reading
    /// `view` yields `nil` and reports ``ResourceFault/viewAccessedDuringLoad``.
    open func loadView() {
        if !loadArchivedView() { view = View() }
    }

    /// The view has been loaded: do the work that each load needs, such as fetching the view's data.
    open func viewDidLoad() {}

    /// Whether ``loadView()`` can make the present view again; if not, a memory warning does not unload it.
    ///
    /// By default it can if it made the view, or if the controller has an archive. Any other view that was assigned
    /// from outside stays, unless an override says that `loadView()` can replace it.
    open var canLoadViewAgain: Bool { viewCanBeLoadedAgain || nibSource.isGiven }

    // MARK: Appearance

    /// The view is about to go into service: update anything that has changed meanwhile.
    ///
    /// The view is loaded, and not attached yet.
    open func viewWillAppear() {}

    /// The view is in service.
    open func viewDidAppear() {}

    /// The view is about to leave service, and is still attached: save positions, start saving, do nothing slow.
    open func viewWillDisappear() {}

    /// The view has left service, and may be unloaded.
    open func viewDidDisappear() {}

    /// Whether this container forwards its appearance transitions, and environment changes, to its children; `true`
    /// unless overridden.
    ///
    /// A container that returns `false` forwards them itself: appearances with ``beginAppearanceTransition(_:)`` and
    /// ``endAppearanceTransition()``, environment changes with calls of `willTransition(to:)` and
    /// ``didTransition(to:)``. The library still asks the children whether they support an environment change (rules
    /// 5.9, 5.34, 5.35).
    open var shouldAutomaticallyForwardAppearanceMethods: Bool { true }

    // MARK: Layout

    /// The view is about to divide its budget among its subviews; its own budget is final.
    open func viewWillLayoutSubviews() {}

    /// The view and all views below it have their budgets: resize pools and caches, start or end workers.
    open func viewDidLayoutSubviews() {}

    // MARK: Memory

    /// Memory is short: drop what can be made again.
    ///
    /// Called at every broadcast, for each controller that is alive; never loads a view. Under ``ReleasePolicy/unload``
    /// the default unloads the view if that is safe: it is loaded and can be loaded again, it is in no superview and no
    /// window, and neither a load nor an appearance transition is under way. Under ``ReleasePolicy/keep`` it does
    /// nothing. An override must call `super`, which does this. Do not read ``view`` here: that would load it at the
    /// worst moment. Use ``viewIfLoaded``. ``ControllerHost/currentWarning`` tells how urgent the warning is.
    open func didReceiveMemoryWarning() {
        if host.options.policy == .unload, canUnloadView { unloadView() }
    }

    /// Memory is short and the view is in service: replace its contents by something smaller, such as a coarser index
    /// or a shorter history (rule 4.19).
    ///
    /// Called at each warning, after ``didReceiveMemoryWarning()``, if the controller has appeared.
    /// ``ControllerHost/currentWarning`` tells how urgent the warning is.
    ///
    /// - Returns: The bytes that this released, by its own count. The default does nothing and returns 0.
    open func degrade() -> Int { 0 }

    /// The pressure is over: restore full quality.
    ///
    /// Called when the host's level is back to normal, or at a simulated warning of the level `normal`, if ``degrade()``
    /// was called before.
    open func recover() {}

    /// Save state that exists only in the view, for instance because the view is about to be released (rule 4.17).
    ///
    /// Called before an unload, after ``viewWillUnload()``, and by ``releaseViewIfOffWindow()``: the controller keeps the
    /// state and passes it to ``restoreViewState(from:)`` after the next load. ``Window/restorableState()`` calls it as
    /// well, for views that stay (rule 5.40). Not called if the view is set to `nil`, or at `deinit`.
    open func saveViewState(in state: inout Properties) {}

    /// The view has been loaded again: restore the state that was saved from the last one, after ``viewDidLoad()``.
    open func restoreViewState(from state: Properties) {}

    /// The view is about to be unloaded, and is still loaded: save state that exists only in the view.
    ///
    /// Called only when the library unloads the view, not when it is set to `nil`, and not at `deinit`.
    open func viewWillUnload() {}

    /// The view has been unloaded: drop objects that belonged to it.
    ///
    /// Reading ``view`` here would load it again.
    open func viewDidUnload() {}

    // MARK: Commands

    /// Whether the class has an action of that name, or the scene has a segue for `segue:IDENTIFIER`.
    open override func canPerform(_ action: String) -> Bool {
        super.canPerform(action) || segueIdentifier(ofAction: action) != nil
    }

    /// Performs the action of the command's name, or triggers the segue that it names.
    open override func perform(_ command: Command) -> CommandOutcome {
        guard let identifier = segueIdentifier(ofAction: command.name) else { return super.perform(command) }
        return triggerSegue(withIdentifier: identifier) ? .done("") : .failed("the segue was refused")
    }

    // MARK: Being a child

    /// The controller is about to become a child of `parent`, or with `nil` to be removed from its parent.
    open func willMove(toParent parent: ViewController?) {}

    /// The controller has become a child of `parent`, or with `nil` has been removed from its parent.
    open func didMove(toParent parent: ViewController?) {}

    /// The child that a container shows; `nil` for containers that show several, or none.
    ///
    /// Before the container appears, this child's view is loaded and, unless it is inside the container's view already,
    /// added to it as a direct subview. So a container that shows one child overrides this property, and needs no code
    /// that puts the view back after it was unloaded. Commands go to this child first. A container that shows several
    /// children puts their views in place in ``viewDidLoad()``.
    open var childForAppearance: ViewController? { nil }

    /// Whether ``childForAppearance`` is this child; each step of an operation asks this, so containers answer it without
    /// counting references.
    func shows(_ child: ViewController) -> Bool { childForAppearance === child }

    /// Whether the container itself places ``childForAppearance``, and no other child; for the library's containers.
    var showsOneChild: Bool { false }

    /// Whether the container decides itself which children it shows, so that a transition between two is refused.
    var choosesChildren: Bool { showsOneChild }

    /// Shows a child again, if the container wants it, after an operation has skipped it or taken its view out; for the
    /// library's containers.
    func showAgain(_ child: ViewController) { showWanted(after: nil) }

    /// Whether a child whose view was released off window comes back with this controller (rule 5.14); for the library's
    /// containers.
    func wantsBack(_ child: ViewController) -> Bool { true }

    /// The child was removed from ``children``; for the library's containers, which keep further references to it.
    func didLose(_ child: ViewController) {}

    /// The child that a restart should show again; `nil` for containers that have no choice.
    var restorableSelection: RestorableSelection? { nil }

    /// Whether children that are missing after a restart are made again.
    var isRestoringNewChildren: Bool { false }

    /// Adopts the children that were kept over a restart.
    func restore(children: [ViewController], shown: RestorableSelection?) {}

    /// Adopts a child that a storyboard gives this controller (rule 1.14).
    func addArchivedChild(_ child: ViewController) {
        addChild(child)
        if child.isChild(of: self), child.isJoiningParent { child.announceDidMove(to: self) }
    }

    // MARK: Being presented

    /// Makes the object that controls how this controller covers its presenter, a new one for each presentation; override
    /// it to provide your own.
    open func makePresentationController(
        presenting presenter: ViewController,
        style: PresentationStyle
    ) -> PresentationController {
        PresentationController(presented: self, presenting: presenter, style: style)
    }

    // MARK: Environment

    /// Whether the controller can work in an environment; all controllers of a tree are asked, loaded or not (rule
    /// 5.35).
    ///
    /// The default checks whether the mode is among the ``supportedModes``.
    open func supports(_ environment: Environment) -> Bool { supportedModes?.contains(environment.mode) ?? true }

    /// The environment is about to change; ``environment`` is still the old one.
    open func willTransition(to environment: Environment) {}

    /// The environment has changed, and views on window have been laid out.
    open func didTransition(to environment: Environment) {}

    // MARK: Segues

    /// Whether a segue that an event triggers may begin; not called for a segue that is performed by name (rule 1.15).
    open func shouldPerformSegue(withIdentifier identifier: String) -> Bool { true }

    /// A segue is about to leave this scene: pass the data that the destination needs.
    ///
    /// The destination's view is not loaded yet.
    open func prepare(for segue: Segue) {}

    // MARK: Over a restart

    /// Saves the state that the controller needs after a restart (rule 5.40).
    ///
    /// A container of your own saves here which of its children it shows.
    open func encodeRestorableState(in state: inout Properties) {}

    /// Restores the state that was saved before the restart; called before the controller appears.
    open func decodeRestorableState(from state: Properties) {}
}
