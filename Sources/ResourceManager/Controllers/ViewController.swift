/// The owner of one part of a service that is expensive to hold: it builds that part, its *view*, at first use, and
/// gives it up when memory is short and it is not in use.
///
/// Subclass it, build the view in ``loadView()`` and fill it in ``viewDidLoad()``. A read of ``view`` returns it,
/// whether it was there or had to be built:
///
/// ```swift
/// final class IndexController: ViewController {
///     override func loadView() { view = IndexView() }
///     override func viewWillAppear() { startAnswering() }
///     override func viewDidDisappear() { stopAnswering() }
/// }
/// ```
///
/// The order of a life: `init`; at first use ``loadView()`` and ``viewDidLoad()``; each time it goes into service
/// ``viewWillAppear()`` and ``viewDidAppear()``, out of it ``viewWillDisappear()`` and ``viewDidDisappear()``; at a
/// memory warning ``didReceiveMemoryWarning()``, which off window leads to ``viewWillUnload()`` and
/// ``viewDidUnload()``, after which the next use loads the view as the first one did. `deinit` sends none of these.
///
/// All callbacks come synchronously, in the isolation of the host. Overrides may call `super` and need not, except that
/// of ``didReceiveMemoryWarning()``.
open class ViewController: Responder {
    /// The host that the controller lives in.
    public final let host: ControllerHost

    /// The container that this controller is a child of; not kept alive.
    public internal(set) final weak var parent: ViewController?
    /// The controllers that this one contains, in the order in which they were added; kept alive.
    public internal(set) final var children: [ViewController] = []

    // Only ever read and assigned as a whole, so no two accesses can overlap, and `view` need not pay for the check: it is
    // most of what reading a loaded view would cost.
    @exclusivity(unchecked) @usableFromInline final var loadedView: View?
    final var loading = Loading.idle
    /// It came from `loadView()`, or a nib was there for it when it was handed in.
    final var viewCanBeLoadedAgain = false
    final var viewCameFromArchive = false
    final var appearance = Appearance()

    /// What people call the controller in transcripts and listings; its class if there is none.
    public final var title: String?
    /// Under which name the controller is kept over a restart; `nil`, and all below it with it, if it is not (rule 5.40).
    public final var restorationIdentifier: String?

    /// The modes that the controller can work in; `nil`, the default, for all.
    public final var supportedModes: Set<Environment.Mode>?

    // What most controllers have none of.
    final weak var presenter: ViewController?
    final var presentation: PresentationController?
    final var presented: ViewController?
    final weak var rootedWindow: Window?
    final weak var popover: Popover?
    final var nibSource = NibSource.inferred
    final var savedViewState: Properties?
    /// What its nib made besides views; goes with the view.
    final var nibObjects: [Responder] = []
    final var loads: LoadList?
    /// The change of what the container shows that is under way.
    final var exchange: ChildExchange?
    /// How many full-screen presentations cover the tree.
    final var covers = 0
    /// Where the view was put by hand before it was covered.
    final weak var returnPlace: View?
    /// Where the view hung in its container's, which was off window, when it was given up.
    final weak var formerPlace: View?
    /// How many operations are bringing the controller in, and need its view.
    final var pins = 0
    final var isGivingUpView = false
    /// Left out by an operation because it was loading.
    final var isAwaited = false
    /// Cut from its parent, and not told yet.
    final var isLeavingParent = false
    /// Whether ``degrade()`` was called and ``recover()`` was not yet.
    public internal(set) final var isDegraded = false

    /// How far a load has come.
    enum Loading {
        case idle
        case runningLoadView
        case runningViewDidLoad
        case restoringViewState
    }

    /// Makes a controller, without its view, and registers it with the host.
    ///
    /// Controllers hear of memory warnings in the order in which the base initialiser ran. Keep an initialiser of your
    /// own small; it may read ``view``, which loads it then and there.
    public init(host: ControllerHost) {
        self.host = host
        super.init()
        enlist(.`init`)
    }

    /// Makes a controller whose view is in a nib of this name, which is read when the view is first needed (rule 1.5).
    ///
    /// If the host's archives have none, the load reports ``ResourceFault/nibNotFound(_:)`` and goes on with an empty
    /// view.
    public init(nibName: String, host: ControllerHost) {
        self.host = host
        nibSource = .named(nibName)
        super.init()
        enlist(.`init`)
    }

    /// Makes a controller from a scene of a storyboard (rule 1.8).
    ///
    /// Has its ``title``, ``restorationIdentifier`` and, under `modes`, its ``supportedModes`` from there. The view is not
    /// loaded by this; ``Responder/awakeFromNib()`` follows.
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
        announce(.`deinit`)
        loads?.cancelAll()
        // No controller is told any more (rule 6.4), but what this controller presented must not stay in the window.
        presented?.endPresentationSilently()
    }

    /// The name of the class by which nibs are looked for, with or without the module (rule 1.6).
    open var className: String { String(describing: type(of: self)) }

    /// In service, the superview of the root view; else the parent, the presenter or the host (rule 5.37).
    open override var next: Responder? {
        if let presenter { return presenter }
        if let superview = loadedView?.superview { return superview }
        if let parent { return parent }
        if let rootedWindow { return rootedWindow }
        return host
    }

    // MARK: The view

    /// Builds the view and assigns it to ``view``; called when the view is needed and not there, never by you.
    ///
    /// The default takes the view of the storyboard scene, else of the nib that was named, else of a nib called as the
    /// class, with and without `Controller` at its end, else an empty one (rule 2.6). An override does not call `super`,
    /// which would only build a view to be thrown away. Until it has assigned one, reading `view` yields `nil` and is
    /// ``ResourceFault/viewAccessedDuringLoad``.
    open func loadView() {
        if !loadArchivedView() { view = View() }
    }

    /// The view has been loaded: the place for what is done once per load, such as fetching what it shows.
    open func viewDidLoad() {}

    /// Whether ``loadView()`` can make the present view again, without which a memory warning leaves it alone.
    ///
    /// By default it can if it made it, or if the controller has an archive. Any other view that was assigned from outside
    /// stays, unless an override says that `loadView()` will do as well.
    open var canLoadViewAgain: Bool { viewCanBeLoadedAgain || nibSource.isGiven }

    // MARK: Appearance

    /// The view is about to go into service: refresh what has changed meanwhile.
    ///
    /// It is loaded, and not attached yet.
    open func viewWillAppear() {}

    /// The view is in service.
    open func viewDidAppear() {}

    /// The view is about to leave service, and still attached: remember positions, start saving, do nothing slow.
    open func viewWillDisappear() {}

    /// The view has left service, and may be unloaded from now on.
    open func viewDidDisappear() {}

    /// Whether transitions of this container, and changes of the environment, are passed on to its children; `true` unless
    /// overridden.
    ///
    /// A container that says `false` tells its children itself: of appearances with ``beginAppearanceTransition(_:)`` and
    /// ``endAppearanceTransition()``, of changes by calling their ``willTransition(to:)`` and ``didTransition(to:)``. They are
    /// asked whether they support a change all the same (rules 5.9, 5.34, 5.35).
    open var shouldAutomaticallyForwardAppearanceMethods: Bool { true }

    // MARK: Layout

    /// The view is about to divide its budget among its parts; its own is final.
    open func viewWillLayoutSubviews() {}

    /// The view and all below it have their budgets: resize pools, resize caches, start or end workers.
    open func viewDidLayoutSubviews() {}

    // MARK: Memory

    /// Memory is short: drop what can be made again.
    ///
    /// Called at every broadcast, for each controller that is alive, and never loads a view. The default unloads the
    /// view under ``ReleasePolicy/unload`` if that is safe: it is loaded and can be loaded again, it is in no superview
    /// and no window, and neither a load nor an appearance transition is under way. Under ``ReleasePolicy/keep`` it
    /// does nothing. An override calls `super`, or that does not happen. Reading ``view`` in it loads the view at the
    /// worst moment; ask ``viewIfLoaded``. How urgent it is says ``ControllerHost/currentWarning``.
    open func didReceiveMemoryWarning() {
        if host.options.policy == .unload, canUnloadView { unloadView() }
    }

    /// Memory is short and the view is in service: put something smaller in its place, such as a coarser index or a
    /// shorter history (rule 4.19).
    ///
    /// Called at each warning, after ``didReceiveMemoryWarning()``, of a controller that has appeared; how urgent it is says
    /// ``ControllerHost/currentWarning``.
    ///
    /// - Returns: The bytes that this gave back, by own count; the default does nothing and returns 0.
    open func degrade() -> Int { 0 }

    /// The pressure is over: full quality again.
    ///
    /// Called when the host's level is back to normal, if ``degrade()`` was called before.
    open func recover() {}

    /// The view is about to be given up: write down what only it knows (rule 4.17).
    ///
    /// Called before an unload, after ``viewWillUnload()``, and by ``releaseViewIfOffWindow()``. What is written stays
    /// with the controller and is handed to ``restoreViewState(from:)`` after the next load. Not called if the view is
    /// set to `nil`, nor at `deinit`.
    open func saveViewState(in state: inout Properties) {}

    /// The view has been loaded again, and this is what was saved of the last one; comes after ``viewDidLoad()``.
    open func restoreViewState(from state: Properties) {}

    /// The view is about to be unloaded, and still there: save what only it knows.
    ///
    /// Only sent when the library unloads the view, not when it is set to `nil`, nor at `deinit`.
    open func viewWillUnload() {}

    /// The view has been unloaded: drop what belonged to it.
    ///
    /// Reading ``view`` here would load it again.
    open func viewDidUnload() {}

    // MARK: Commands

    /// Whether the class has an action of that name, or the scene a segue for `segue:IDENTIFIER`.
    open override func canPerform(_ action: String) -> Bool {
        super.canPerform(action) || segueIdentifier(ofAction: action) != nil
    }

    /// Does what the action of the command's name does, or triggers the segue that it names.
    open override func perform(_ command: Command) -> CommandOutcome {
        guard let identifier = segueIdentifier(ofAction: command.name) else { return super.perform(command) }
        return triggerSegue(withIdentifier: identifier) ? .done("") : .failed("the segue was refused")
    }

    // MARK: Being a child

    /// The controller is about to become a child of `parent`, or with `nil` to be removed from the one it has.
    open func willMove(toParent parent: ViewController?) {}

    /// The controller has become a child of `parent`, or with `nil` has been removed from the one it had.
    open func didMove(toParent parent: ViewController?) {}

    /// The child that a container shows; `nil` for containers that show several, or none.
    ///
    /// Before the container appears, the child's view is loaded and, if it is not inside the container's view, put into that as a
    /// direct subview. So a container that shows one child overrides this and needs no code that puts the view back after it was
    /// unloaded. Commands go to this child first. A container that shows several puts their views in place in
    /// ``viewDidLoad()``.
    open var childForAppearance: ViewController? { nil }

    /// Whether the container places ``childForAppearance`` itself, and nothing else; for the library's containers.
    var showsOneChild: Bool { false }

    /// The child was taken out of ``children``; for the library's containers, which keep more than that.
    func didLose(_ child: ViewController) {}

    /// Which child a restart is to show again; `nil` for containers that have no choice.
    var restorableSelection: RestorableSelection? { nil }

    /// Whether children that are not there after a restart are made again.
    var isRestoringNewChildren: Bool { false }

    /// Takes over the children that were kept over a restart.
    func restore(children: [ViewController], shown: RestorableSelection?) {}

    /// Takes over a child that a storyboard gives this controller (rule 1.14).
    func addArchivedChild(_ child: ViewController) {
        addChild(child)
        child.announceDidMove(to: self)
    }

    // MARK: Being presented

    /// Makes the object that says how this controller is laid over its presenter; override it to bring your own.
    open func makePresentationController(
        presenting presenter: ViewController,
        style: PresentationStyle
    ) -> PresentationController {
        PresentationController(presented: self, presenting: presenter, style: style)
    }

    // MARK: Environment

    /// Whether the controller can work in an environment; all of a tree are asked, loaded or not (rule 5.35).
    ///
    /// The default looks whether the mode is among the ``supportedModes``.
    open func supports(_ environment: Environment) -> Bool { supportedModes?.contains(environment.mode) ?? true }

    /// The environment is about to change; ``environment`` is still the old one.
    open func willTransition(to environment: Environment) {}

    /// The environment has changed, and what is on window has been laid out.
    open func didTransition(to environment: Environment) {}

    // MARK: Segues

    /// Whether a segue that an event asks for may begin; one that is performed by name is not asked about (rule 1.15).
    open func shouldPerformSegue(withIdentifier identifier: String) -> Bool { true }

    /// A segue is about to leave here: hand its destination what it needs.
    ///
    /// The destination's view is not loaded yet.
    open func prepare(for segue: Segue) {}

    // MARK: Over a restart

    /// Writes down what the controller needs to be as it is after a restart (rule 5.40).
    open func encodeRestorableState(in state: inout Properties) {}

    /// Takes over what was written down before the restart; comes before the controller appears.
    open func decodeRestorableState(from state: Properties) {}
}
