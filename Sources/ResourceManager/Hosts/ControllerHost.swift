public import MemoryPressure
internal import ResourceCaches

/// The part of a service that receives memory warnings and passes them to the service's controllers.
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
/// the main actor or any other, and the compiler keeps them there. Several hosts may exist on several actors: they
/// share the process's caches, which shrink once for a warning that all of them receive. No call locks or waits, except
/// ``deliver(_:isolation:)`` and ``simulateMemoryWarning(_:isolation:)``.
///
/// A host keeps no controller, view or window alive. Windows keep their roots, parents their children, and controllers
/// their views.
public final class ControllerHost: Responder {
    /// How a host behaves, for its whole life.
    public struct Options: Sendable {
        /// What controllers do with their views at a warning.
        public var policy: ReleasePolicy
        /// Which controllers receive a warning.
        public var delivery: WarningDelivery

        /// The daemon's socket; `nil` for `$MEMWARND_SOCKET` or, without it, the sockets of the system and of the user.
        public var socket: String?
        /// The order in which hosts are asked to release memory, from 0 for first to 255 for last.
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

    /// The name under which the host is registered and listed, cut to 64 bytes of UTF-8.
    public let name: String
    /// How the host behaves.
    public let options: Options
    /// How the host reports misuse of controllers and views.
    ///
    /// The default is ``FaultHandling/log``, a line on standard error. ``onFault(_:)`` receives each fault as well.
    public var faultHandling: FaultHandling {
        get { presentFaultHandling }
        // The deinit of what the former closure kept may use the host.
        set { withExtendedLifetime(Swift.exchange(&presentFaultHandling, with: newValue)) {} }
    }
    private var presentFaultHandling = FaultHandling.log
    private var faultsUnderWay = 0
    /// The source of the host's nibs and storyboards; `nil` if it has none.
    public var archives: (any ArchiveSource)? {
        get { archiveSource }
        // The deinit of the former source may use the host.
        set { withExtendedLifetime(Swift.exchange(&archiveSource, with: newValue)) {} }
    }
    private var archiveSource: (any ArchiveSource)?
    /// The classes that archives may name.
    public var classes: ClassRegistry {
        get { registeredClasses }
        // As for the fault handling; a registration that replaces another one changes a copy.
        set { withExtendedLifetime(Swift.exchange(&registeredClasses, with: newValue)) {} }
    }
    private var registeredClasses = ClassRegistry()
    /// The environment of the host's controllers outside any window: the process's ``capacity``, in normal mode.
    ///
    /// Read from the kernel at first use and whenever ``updateCapacity()`` is called.
    public var environment: Environment {
        if let knownEnvironment { return knownEnvironment }
        let environment = Environment(capacity)
        knownEnvironment = environment
        return environment
    }
    /// Receives each warning first; not kept alive.
    public weak var delegate: (any ControllerHostDelegate)?
    /// The delegate if it is an actor; not kept alive.
    public weak var asyncDelegate: (any AsyncControllerHostDelegate)? {
        didSet { if asyncDelegate !== oldValue { (asyncWarnings, asyncOutcomes) = (ActorCalls(), ActorCalls()) } }
    }
    /// The calls of the present ``asyncDelegate``.
    private(set) var asyncWarnings = ActorCalls<AsyncDelegateCall>()
    private(set) var asyncOutcomes = ActorCalls<AsyncDelegateCall>()

    // Read and assigned only as a whole, so no two accesses can overlap.
    /// The level of the last warning that was not simulated.
    @exclusivity(unchecked) public internal(set) var level: PressureLevel = .normal
    /// Where warnings come from at present; ``PressureOrigin/none`` unless ``run()`` is running.
    public internal(set) var origin: PressureOrigin = .none
    /// The warning under delivery, for callbacks that have no parameter for it; `nil` at any other time, and while
    /// caches shrink on another thread.
    public var currentWarning: MemoryWarning? { delivery?.warning }

    let reclaiming: ReclaimingHost
    let kernel: KernelTree
    /// In the order in which their base initialisers ran.
    var controllers = WeakList<ViewController>()
    /// Views with a backing, in the order in which the backings were made.
    let declared = DeclaredBytes()
    var backedViews = WeakList<View>()
    // Its changes call nothing back, so no two accesses can overlap.
    /// Views whose budget has to be divided again at the end of the call, because a subview with a share has left them.
    @exclusivity(unchecked) var dividedAnew = WeakList<View>()
    /// The lazily made properties of controllers that use the controller (rule 2.20).
    var resourceOffers = WeakList<ResourceOffer>()
    var windows = WeakList<Window>()
    /// The last value of ``environment``; `nil` until it is first read.
    var knownEnvironment: Environment?
    /// A list of handlers for each type of notification.
    var notificationObservers: [ObjectIdentifier: AnyObject] = [:]
    let lifecycleObservers = HandlerList<LifecycleEvent>()
    let faultObservers = HandlerList<ResourceFault>()
    let levelHandlers = HandlerList<PressureLevel>()
    let originHandlers = HandlerList<PressureOrigin>()
    let commandActions = RegistrationList<CommandAction>()

    // Its methods call nothing back, so no two accesses can overlap.
    /// How many operations are under way.
    @exclusivity(unchecked) var operations = OperationBounds()

    /// The level that the handlers were last told.
    var announcedLevel = PressureLevel.normal
    /// The delivery whose callbacks are being called.
    var delivery: Delivery?

    /// Controllers with background work under way.
    var loading: [UInt64: LoadingController] = [:]
    var lastLoad: UInt64 = 0
    let finishedLoads = FinishedLoads()
    var lastSave: Task<Void, Never>?

    /// A host with a name that identifies it on the machine; costs nothing until it is used.
    ///
    /// To run, the host needs a name that is not empty and has no NUL: ``ResourceFault/unusableHostName(_:)``.
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

    /// Performs the action that was registered for the command with ``onCommand(_:_:)``; ``handle(_:)`` asks
    /// controllers first.
    public override func perform(_ command: Command) -> CommandOutcome {
        ownAction(command.name).map { Actions.outcome(of: $0.perform, command) } ?? .unhandled
    }

    private func ownAction(_ name: String) -> CommandAction? {
        commandActions.newest { $0.name == name }
    }

    /// The controllers that are alive, in order of creation; for listings and health checks.
    ///
    /// Walks them once, and loads nothing.
    public var viewControllers: [ViewController] { controllers.objects }

    func report(_ fault: ResourceFault, by object: AnyObject) {
        guard faultsUnderWay < OperationBounds.faultHandlers else { return FaultHandling.log.report(fault, by: object) }
        faultsUnderWay += 1
        faultHandling.report(fault, by: object)
        faultObservers.callAll(fault)
        faultsUnderWay -= 1
    }

    /// Records a new origin of warnings.
    func change(to origin: PressureOrigin) {
        guard origin != self.origin else { return }
        self.origin = origin
        originHandlers.callAll(origin)
    }

    /// Counts released bytes; each delivery starts at 0, and outside of a delivery nothing is counted.
    func count(released bytes: Int) {
        delivery?.count(UInt64(max(0, bytes)))
    }

    /// Counts a tree that goes as released in the delivery under way, if there is one.
    func countReleased(of view: View) {
        if delivery != nil { count(released: view.countReleased()) }
    }
}
