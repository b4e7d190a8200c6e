/// The owner of one part of a service that is expensive to hold: it builds that part, its *view*, at first use, and
/// gives it up when memory is short and nobody is using it.
///
/// Subclass it, build the view in ``loadView()`` and fill it in ``viewDidLoad()``. Whoever reads ``view`` gets it,
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
open class ViewController {
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
    final var viewCameFromLoadView = false
    final var appearance = Appearance()

    /// How far a load has come.
    enum Loading {
        case idle
        case runningLoadView
        case runningViewDidLoad
    }

    /// Makes a controller, without its view, and registers it with the host.
    ///
    /// Controllers hear of memory warnings in the order in which this initialiser ran. Keep an initialiser of your own
    /// small; it may read ``view``, which loads it then and there.
    public init(host: ControllerHost) {
        self.host = host
        host.controllers.append(self)
    }

    // MARK: The view

    /// Builds the view and assigns it to ``view``; called when the view is needed and not there, never by you.
    ///
    /// An override does not call `super`, which would only build an empty view to be thrown away. Until it has assigned
    /// one, reading `view` yields `nil` and is ``ResourceFault/viewAccessedDuringLoad``.
    open func loadView() {
        view = View()
    }

    /// The view has been loaded: the place for what is done once per load, such as fetching what it shows.
    open func viewDidLoad() {}

    /// Whether ``loadView()`` can make the present view again, without which a memory warning leaves it alone.
    ///
    /// By default it can if it made it. A view that was assigned from outside stays, unless an override says that
    /// `loadView()` will do as well.
    open var canLoadViewAgain: Bool { viewCameFromLoadView }

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

    /// Whether transitions of this container are passed on to its children; `true` unless overridden.
    ///
    /// A container that says `false` tells its children itself, with ``beginAppearanceTransition(_:)`` and
    /// ``endAppearanceTransition()``.
    open var shouldAutomaticallyForwardAppearanceMethods: Bool { true }

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

    /// The view is about to be unloaded, and still there: save what only it knows.
    ///
    /// Only sent when the library unloads the view, not when it is set to `nil`, nor at `deinit`.
    open func viewWillUnload() {}

    /// The view has been unloaded: drop what belonged to it.
    ///
    /// Reading ``view`` here would load it again.
    open func viewDidUnload() {}

    // MARK: Being a child

    /// The controller is about to become a child of `parent`, or with `nil` to be removed from the one it has.
    open func willMove(toParent parent: ViewController?) {}

    /// The controller has become a child of `parent`, or with `nil` has been removed from the one it had.
    open func didMove(toParent parent: ViewController?) {}
}
