import ResourceManager

/// Records each callback as it is entered, calls `super`, and then runs the closure that the test has set for it.
class RecordingController: ViewController {
    enum LoadView {
        case callsSuper
        case assigns
        case assignsNothing
        case touchesViewFirst
    }

    let name: String
    let trace: Trace
    var loadViewStyle = LoadView.callsSuper
    var makesView: () -> View = { View() }
    var callsSuperAtWarning = true
    var forwards = true
    var recordsLayout = false
    var annotation: (RecordingController) -> String = { _ in "" }
    /// The closures that run in callbacks, by the callbacks' names.
    var on: [String: (RecordingController) -> Void]

    init(_ name: String, host: ControllerHost, trace: Trace, on: [String: (RecordingController) -> Void] = [:]) {
        self.name = name
        self.trace = trace
        self.on = on
        super.init(host: host)
        enter("init")
    }

    deinit {
        trace.record("\(name).deinit")
    }

    private func enter(_ callback: String, then super: () -> Void = {}) {
        trace.record("\(name).\(callback)\(annotation(self))")
        `super`()
        on[callback]?(self)
    }

    override func loadView() {
        enter("loadView") {
            switch loadViewStyle {
            case .callsSuper:
                super.loadView()
            case .assigns:
                view = makesView()
                _ = view
            case .assignsNothing:
                break
            case .touchesViewFirst:
                _ = view
                view = makesView()
            }
        }
    }

    override var canLoadViewAgain: Bool { loadViewStyle == .assigns || super.canLoadViewAgain }
    override var shouldAutomaticallyForwardAppearanceMethods: Bool { forwards }

    override func viewDidLoad() { enter("viewDidLoad") { super.viewDidLoad() } }
    override func viewWillAppear() { enter("viewWillAppear") { super.viewWillAppear() } }
    override func viewDidAppear() { enter("viewDidAppear") { super.viewDidAppear() } }
    override func viewWillDisappear() { enter("viewWillDisappear") { super.viewWillDisappear() } }
    override func viewDidDisappear() { enter("viewDidDisappear") { super.viewDidDisappear() } }
    override func viewWillUnload() { enter("viewWillUnload") { super.viewWillUnload() } }
    override func viewDidUnload() { enter("viewDidUnload") { super.viewDidUnload() } }

    override func viewWillLayoutSubviews() { if recordsLayout { enter("viewWillLayoutSubviews") } }
    override func viewDidLayoutSubviews() { if recordsLayout { enter("viewDidLayoutSubviews") } }
    /// Lowers the view's cost and returns the difference.
    override func degrade() -> Int {
        let before = view.totalCost
        on["degrade"]?(self)
        return before - view.totalCost
    }
    override func recover() { on["recover"]?(self) }

    override func willTransition(to environment: Environment) { enter("willTransition(\(environment.mode))") }
    override func didTransition(to environment: Environment) { enter("didTransition(\(environment.mode))") }

    override func didReceiveMemoryWarning() {
        enter("didReceiveMemoryWarning") {
            if callsSuperAtWarning { super.didReceiveMemoryWarning() }
        }
    }

    override func willMove(toParent parent: ViewController?) {
        trace.record("\(name).willMove(\((parent as? RecordingController)?.name ?? "nil"))")
        if parent != nil { on["willJoin"]?(self) }
    }

    override func didMove(toParent parent: ViewController?) {
        trace.record("\(name).didMove(\((parent as? RecordingController)?.name ?? "nil"))")
        on[parent == nil ? "didLeave" : "didJoin"]?(self)
    }
}

/// A closure for a callback that acts only the first time, and takes out the controller's other closures too.
func once(_ act: @escaping () -> Void) -> (RecordingController) -> Void {
    { controller in
        controller.on = [:]
        act()
    }
}
