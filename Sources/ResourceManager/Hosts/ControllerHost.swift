public import MemoryPressure
internal import ResourceCaches

/// The part of a service that memory warnings go to: it knows the service's controllers and tells them.
///
/// Make one for each group of controllers that live together, and make the controllers in it:
///
/// ```swift
/// let host = ControllerHost("gallery")
/// let window = Window(host: host)
/// window.rootViewController = GalleryController(host: host)
/// window.makeVisible()
/// ```
///
/// A host, its controllers, views and windows are not `Sendable`: they belong together to the actor that uses the host,
/// the main actor or any other, and the compiler keeps them there. Several hosts may live side by side on several
/// actors: they share the process's caches, which shrink once for what all of them hear. Nothing in them locks or waits,
/// except ``deliver(_:isolation:)`` and ``simulateMemoryWarning(_:isolation:)``.
///
/// A host keeps no controller, view or window alive. Their users do: windows their roots, parents their
/// children, controllers their views.
public final class ControllerHost: Responder {
    /// How a host behaves, for its whole life.
    public struct Options: Sendable {
        /// What controllers do with their views at a warning.
        public var policy: ReleasePolicy
        /// Which controllers hear of a warning.
        public var delivery: WarningDelivery

        /// Where to look for the daemon; `nil` for `$MEMWARND_SOCKET` or, without it, the system's and the user's own.
        public var socket: String?
        /// How early the host is asked to give memory back, from 0 for first to 255 for last.
        public var priority: UInt8

        /// Options; the defaults are those for a service.
        public init(
            policy: ReleasePolicy = .unload,
            delivery: WarningDelivery = .all,
            socket: String? = nil,
            priority: UInt8 = 128
        ) {
            self.policy = policy
            self.delivery = delivery
            self.socket = socket
            self.priority = priority
        }
    }

    /// The name under which the host is registered and listed.
    public let name: String
    /// How the host behaves.
    public let options: Options
    /// What happens when controllers or views are used wrongly.
    public var faultHandling: FaultHandling = .log
    /// Where the host's nibs and storyboards are; without it there are none.
    public var archives: (any ArchiveSource)?
    /// The classes that archives may name.
    public var classes = ClassRegistry()
    /// What the host's controllers run under outside any window: the process's ``capacity``, in normal mode.
    ///
    /// Read from the kernel at first use and whenever ``updateCapacity()`` is called.
    public var environment: Environment {
        if let knownEnvironment { return knownEnvironment }
        let environment = Environment(capacity)
        knownEnvironment = environment
        return environment
    }
    /// Hears of each warning first; not kept alive.
    public weak var delegate: (any ControllerHostDelegate)?
    /// The same for an actor; not kept alive.
    public weak var asyncDelegate: (any AsyncControllerHostDelegate)?

    /// How short of memory the host's scope is, by the last warning that was no simulation.
    public internal(set) var level: PressureLevel = .normal
    /// Where warnings come from at present; ``PressureOrigin/none`` unless ``run()`` is running.
    public internal(set) var origin: PressureOrigin = .none
    /// The warning that is being delivered, for those whose callback does not carry it; `nil` at any other time, and while
    /// caches shrink on another thread.
    public var currentWarning: MemoryWarning? { delivery?.warning }

    let reclaiming: ReclaimingHost
    let kernel: KernelTree
    /// In the order in which their base initialisers ran.
    var controllers = WeakList<ViewController>()
    /// Those with a backing, in the order in which the backings were made.
    var backedViews = WeakList<View>()
    var windows = WeakList<Window>()
    /// What ``environment`` said; `nil` until it is first read.
    var knownEnvironment: Environment?
    /// A list of handlers for each type of notification.
    var notificationObservers: [ObjectIdentifier: AnyObject] = [:]
    let lifecycleObservers = HandlerList<LifecycleEvent>()
    let faultObservers = HandlerList<ResourceFault>()
    let levelHandlers = HandlerList<PressureLevel>()
    let originHandlers = HandlerList<PressureOrigin>()
    let commandActions = RegistrationList<CommandAction>()

    /// How many operations are under way.
    var operations = OperationBounds()

    /// The level that the handlers were last told.
    var announcedLevel = PressureLevel.normal
    /// The one whose callbacks are being called.
    var delivery: Delivery?

    /// Whose background work is under way.
    var loading: [UInt64: LoadingController] = [:]
    var lastLoad: UInt64 = 0
    let finishedLoads = FinishedLoads()
    var lastSave: Task<Void, Never>?

    /// A host with a name that tells it apart from the machine's others; costs nothing until it is used.
    public convenience init(_ name: String, options: Options = Options()) {
        self.init(name, options: options, kernel: .live)
    }

    init(_ name: String, options: Options = Options(), kernel: KernelTree) {
        self.name = name
        self.options = options
        reclaiming = ReclaimingHost(.current)
        self.kernel = kernel
        super.init()
    }

    /// The delegate, if it is a responder (rule 5.37).
    public override var next: Responder? { delegate as? Responder }

    /// Whether ``onCommand(_:_:)`` has registered an action of that name.
    public override func canPerform(_ action: String) -> Bool {
        ownAction(action) != nil
    }

    /// Does what ``onCommand(_:_:)`` has registered for the command; ``handle(_:)`` asks what is shown first.
    public override func perform(_ command: Command) -> CommandOutcome {
        ownAction(command.name).map { Actions.outcome(of: $0.perform, command) } ?? .unhandled
    }

    private func ownAction(_ name: String) -> CommandAction? {
        commandActions.newest { $0.name == name }
    }

    /// The controllers that are alive, in order of creation; for listings and health checks, and costly for neither.
    ///
    /// Walks them once, and loads nothing.
    public var viewControllers: [ViewController] { controllers.objects }

    func report(_ fault: ResourceFault, by object: AnyObject) {
        faultHandling.report(fault, by: object)
        faultObservers.callAll(fault)
    }

    /// Notes where warnings come from now.
    func change(to origin: PressureOrigin) {
        guard origin != self.origin else { return }
        self.origin = origin
        originHandlers.callAll(origin)
    }

    /// Counts what was given up; each delivery begins at 0, and outside of one it counts for nothing.
    func count(released bytes: Int) {
        delivery?.count(UInt64(max(0, bytes)))
    }
}
