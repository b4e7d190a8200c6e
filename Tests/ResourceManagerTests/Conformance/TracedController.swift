@testable import ResourceManager

/// Records each callback as it is entered, calls `super`, and then performs the operations that the case has for it.
final class TracedController: ViewController {
    let name: String
    let options: ControllerOptions
    let log: EventLog
    private let annotation: Annotation?
    private weak var runner: Runner?

    /// Makes a controller in code.
    init(_ name: String, _ options: ControllerOptions, _ runner: Runner) {
        self.name = name
        self.options = options
        self.runner = runner
        log = runner.log
        annotation = runner.script.annotation
        if let nibName = options.nibName {
            super.init(nibName: nibName, host: runner.host)
        } else {
            super.init(host: runner.host)
        }
        runner.hold(self, as: name)
        enter("init")
    }

    /// Makes a controller from a scene.
    init(_ name: String, _ options: ControllerOptions, _ runner: Runner, coder: Coder) {
        self.name = name
        self.options = options
        self.runner = runner
        log = runner.log
        annotation = runner.script.annotation
        super.init(coder: coder)
        runner.hold(self, as: name)
        enter("init(coder:)")
    }

    deinit {
        log.recordEnd(event("deinit"))
    }

    // MARK: The log

    func enter(_ callback: String, _ detail: String? = nil, then super: () -> Void = {}) {
        record(callback, detail)
        `super`()
        for operation in options.on[callback] ?? [] { runner?.perform(operation) }
    }

    func record(_ kind: String, _ detail: String? = nil) {
        log.record(event(kind, detail))
    }

    /// Records an event of an object in the view's archive.
    func record(_ kind: String, object: String) {
        log.record(Event(name, kind, text: "\(name)/\(object).\(kind)\(note(kind))"))
    }

    private func event(_ kind: String, _ detail: String? = nil) -> Event {
        let label = kind == "prepare" ? "for:" : ""
        let detail = detail.map { "(\(label)\($0))" } ?? ""
        return Event(name, kind, text: "\(name).\(kind)\(detail)\(note(kind))")
    }

    private func note(_ kind: String) -> String {
        switch annotation {
        case .superview? where kind.hasPrefix("view"):
            "[superview=\(viewIfLoaded?.superview == nil ? "nil" : "set")]"
        case .loaded? where Alphabet.coreKinds.contains(kind):
            "[loaded=\(isViewLoaded ? "yes" : "no")]"
        default:
            ""
        }
    }

    // MARK: Options of the case

    override var className: String { options.className ?? super.className }
    override var shouldAutomaticallyForwardAppearanceMethods: Bool { options.forwardsAppearance }

    override var canLoadViewAgain: Bool { options.loadView != .default || super.canLoadViewAgain }

    override func supports(_ environment: Environment) -> Bool {
        options.supportedModes?.contains(environment.mode.rawValue) ?? true
    }

    override func makePresentationController(
        presenting presenter: ViewController,
        style: PresentationStyle
    ) -> PresentationController {
        TracedPresentation(presented: self, presenting: presenter, style: style)
    }

    // Accepts outlets and actions of any name.
    override func connect(_ object: Responder, toOutlet name: String) -> Bool { true }
    override func canPerform(_ action: String) -> Bool { true }

    // MARK: Callbacks

    override func loadView() {
        enter("loadView") {
            switch options.loadView {
            case .default: loadViewBySuper()
            case .assigns:
                view = TracedView()
                _ = view
            case .assignsNothing: break
            case .touchesViewFirst:
                _ = view
                view = TracedView()
            }
        }
    }

    private func loadViewBySuper() {
        // The objects that the archive makes belong to this controller.
        runner?.owners.append(self)
        super.loadView()
        runner?.owners.removeLast()
        // Without an archive the base class makes a view that records nothing.
        if let view = viewIfLoaded, type(of: view) == View.self { self.view = TracedView() }
    }

    override func didReceiveMemoryWarning() {
        enter("didReceiveMemoryWarning") {
            if case .noSuper = options.reaction { return }
            super.didReceiveMemoryWarning()
            switch options.reaction {
            case .callsSuper, .noSuper: break
            case .releases(let asksWhetherLoaded): releaseView(asksWhetherLoaded)
            case .touchesView: _ = view
            case .performs(let operation): runner?.perform(operation)
            }
        }
    }

    /// Releases the view as programs for iOS 6 do, with or without first checking whether it is loaded.
    private func releaseView(_ asksWhetherLoaded: Bool) {
        guard !asksWhetherLoaded || isViewLoaded else { return }
        guard view?.window == nil else { return }
        enter("saveViewState")
        view = nil
    }

    override func awakeFromNib() { enter("awakeFromNib") { super.awakeFromNib() } }
    override func viewDidLoad() { enter("viewDidLoad") { super.viewDidLoad() } }
    override func viewWillAppear() { enter("viewWillAppear") { super.viewWillAppear() } }
    override func viewDidAppear() { enter("viewDidAppear") { super.viewDidAppear() } }
    override func viewWillDisappear() { enter("viewWillDisappear") { super.viewWillDisappear() } }
    override func viewDidDisappear() { enter("viewDidDisappear") { super.viewDidDisappear() } }
    override func viewWillLayoutSubviews() { enter("viewWillLayoutSubviews") { super.viewWillLayoutSubviews() } }
    override func viewDidLayoutSubviews() { enter("viewDidLayoutSubviews") { super.viewDidLayoutSubviews() } }
    override func viewWillUnload() { enter("viewWillUnload") { super.viewWillUnload() } }
    override func viewDidUnload() { enter("viewDidUnload") { super.viewDidUnload() } }

    override func willMove(toParent parent: ViewController?) {
        enter("willMove", parent?.title ?? "nil") { super.willMove(toParent: parent) }
    }

    override func didMove(toParent parent: ViewController?) {
        enter("didMove", parent?.title ?? "nil") { super.didMove(toParent: parent) }
    }

    override func willTransition(to environment: Environment) {
        enter("willTransition", environment.mode.rawValue) { super.willTransition(to: environment) }
    }

    override func didTransition(to environment: Environment) {
        enter("didTransition", environment.mode.rawValue) { super.didTransition(to: environment) }
    }

    override func shouldPerformSegue(withIdentifier identifier: String) -> Bool {
        enter("shouldPerformSegue", identifier)
        return identifier != options.refusedSegue && super.shouldPerformSegue(withIdentifier: identifier)
    }

    override func prepare(for segue: Segue) {
        enter("prepare", segue.identifier) { super.prepare(for: segue) }
    }
}

extension ViewController {
    /// Records a callback if the controller is a test controller; the library's own are not traced.
    func enterIfTraced(_ callback: String) {
        (self as? TracedController)?.enter(callback)
    }
}
