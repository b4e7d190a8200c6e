import ResourceManager

/// A callback in which the walk may do something.
enum Callback: String, CaseIterable {
    case loadView, viewDidLoad, viewWillAppear, viewDidAppear, viewWillDisappear, viewDidDisappear
    case viewWillLayoutSubviews, viewDidLayoutSubviews, viewWillUnload, viewDidUnload, saveViewState, restoreViewState
    case didReceiveMemoryWarning, willMove, didMove, willTransition, completion, presentation, willShow, `deinit`
}

/// What the walk knows of a controller from its callbacks alone.
final class Probe {
    enum Phase: String { case disappeared, appearing, appeared, disappearing }

    let id: Int
    private let walk: Walk
    private(set) var phase = Phase.disappeared
    private(set) var hasTurned = false
    /// Its view was set to nil by the walk, or its window was dropped: what it says of its phase counts no more (2.12).
    var isForgotten = false

    init(_ walk: Walk) {
        self.walk = walk
        id = walk.nextID()
        walk.noteBirth(id)
    }

    deinit {
        walk.noteDeath(id)
    }

    func enter(_ callback: Callback, of controller: ViewController) {
        check(callback, of: controller)
        walk.note("  \(id).\(callback)")
        walk.interrupt(in: callback)
    }

    func noteCover(from presenter: ViewController, _ style: PresentationStyle) {
        walk.noteCover(by: id, from: presenter, style)
    }

    /// The controller's last event.
    func leave() {
        walk.note("  \(id).deinit")
        walk.interrupt(in: .deinit)
    }

    func forget() {
        phase = .disappeared
        hasTurned = false
    }

    private func check(_ callback: Callback, of controller: ViewController) {
        switch callback {
        case .loadView: expect(!controller.isViewLoaded, "is loaded twice")
        case .viewDidLoad: expect(controller.viewIfLoaded?.superview == nil, "is loaded into a superview")
        case .viewWillAppear:
            expect(controller.isViewLoaded, "appears without a view")
            move(to: .appearing, from: .disappeared, .disappearing)
        case .viewDidAppear:
            expect(isForgotten || controller.viewIfLoaded?.window != nil, "has appeared off window")
            move(to: .appeared, from: .appearing)
        case .viewWillDisappear:
            expect(
                isForgotten || phase == .appearing || controller.viewIfLoaded?.window != nil,
                "disappears off window"
            )
            move(to: .disappearing, from: .appeared, .appearing)
        case .viewDidDisappear:
            expect(isForgotten || controller.viewIfLoaded?.window == nil, "has disappeared on window")
            move(to: .disappeared, from: .disappearing)
        case .viewWillUnload:
            expect(controller.isViewLoaded && controller.viewIfLoaded?.window == nil, "is unloaded on window")
            expect(phase == .disappeared || isForgotten, "is unloaded while \(phase)")
        case .viewDidUnload: expect(!controller.isViewLoaded, "was unloaded and is loaded")
        default: break
        }
    }

    private func move(to next: Phase, from allowed: Phase...) {
        expect(allowed.contains(phase), "is \(next) after \(phase)")
        phase = next
    }

    private func expect(_ condition: Bool, _ what: @autoclosure () -> String) {
        if !condition { walk.fail("\(id) \(what())") }
    }
}

/// A controller that the walk can follow.
protocol Probed: ViewController {
    var probe: Probe { get }
}

final class WalkedController: ViewController, Probed {
    let probe: Probe

    init(_ walk: Walk, host: ControllerHost) {
        probe = Probe(walk)
        super.init(host: host)
    }

    deinit { probe.leave() }

    override func loadView() {
        probe.enter(.loadView, of: self)
        if !isViewLoaded { view = View() }
    }
    override func viewDidLoad() { probe.enter(.viewDidLoad, of: self) }
    override func viewWillAppear() { probe.enter(.viewWillAppear, of: self) }
    override func viewDidAppear() { probe.enter(.viewDidAppear, of: self) }
    override func viewWillDisappear() { probe.enter(.viewWillDisappear, of: self) }
    override func viewDidDisappear() { probe.enter(.viewDidDisappear, of: self) }
    override func viewWillLayoutSubviews() { probe.enter(.viewWillLayoutSubviews, of: self) }
    override func viewDidLayoutSubviews() { probe.enter(.viewDidLayoutSubviews, of: self) }
    override func viewWillUnload() { probe.enter(.viewWillUnload, of: self) }
    override func viewDidUnload() { probe.enter(.viewDidUnload, of: self) }
    override func saveViewState(in state: inout Properties) {
        state["id"] = probe.id
        probe.enter(.saveViewState, of: self)
    }
    override func restoreViewState(from state: Properties) { probe.enter(.restoreViewState, of: self) }
    override func didReceiveMemoryWarning() {
        probe.enter(.didReceiveMemoryWarning, of: self)
        super.didReceiveMemoryWarning()
    }
    override func willMove(toParent parent: ViewController?) { probe.enter(.willMove, of: self) }
    override func didMove(toParent parent: ViewController?) { probe.enter(.didMove, of: self) }
    override func willTransition(to environment: Environment) { probe.enter(.willTransition, of: self) }
    override func makePresentationController(
        presenting presenter: ViewController,
        style: PresentationStyle
    ) -> PresentationController {
        WalkedPresentation(probe, presented: self, presenting: presenter, style: style)
    }
}

final class WalkedPresentation: PresentationController {
    private let probe: Probe

    init(_ probe: Probe, presented: ViewController, presenting: ViewController, style: PresentationStyle) {
        self.probe = probe
        super.init(presented: presented, presenting: presenting, style: style)
        probe.noteCover(from: presenting, style)
    }

    private func enter() {
        if let presentedViewController { probe.enter(.presentation, of: presentedViewController) }
    }

    override func presentationTransitionWillBegin() { enter() }
    override func presentationTransitionDidEnd() { enter() }
    override func dismissalTransitionWillBegin() { enter() }
    override func dismissalTransitionDidEnd() { enter() }
}

final class WalkedStack: NavigationController, Probed, NavigationControllerDelegate {
    let probe: Probe

    init(_ walk: Walk, host: ControllerHost) {
        probe = Probe(walk)
        super.init(host: host)
        delegate = self
    }

    override func viewDidLoad() { probe.enter(.viewDidLoad, of: self) }
    override func viewWillAppear() { probe.enter(.viewWillAppear, of: self) }
    override func viewDidAppear() { probe.enter(.viewDidAppear, of: self) }
    override func viewWillDisappear() { probe.enter(.viewWillDisappear, of: self) }
    override func viewDidDisappear() { probe.enter(.viewDidDisappear, of: self) }
    override func viewWillLayoutSubviews() { probe.enter(.viewWillLayoutSubviews, of: self) }
    override func viewWillUnload() { probe.enter(.viewWillUnload, of: self) }
    override func viewDidUnload() { probe.enter(.viewDidUnload, of: self) }
    override func willMove(toParent parent: ViewController?) { probe.enter(.willMove, of: self) }
    override func didMove(toParent parent: ViewController?) { probe.enter(.didMove, of: self) }
    override func makePresentationController(
        presenting presenter: ViewController,
        style: PresentationStyle
    ) -> PresentationController {
        WalkedPresentation(probe, presented: self, presenting: presenter, style: style)
    }
    func navigationController(_ navigationController: NavigationController, willShow controller: ViewController) {
        probe.enter(.willShow, of: self)
    }
    func navigationController(_ navigationController: NavigationController, didShow controller: ViewController) {
        probe.enter(.willShow, of: self)
    }
}

final class WalkedTabs: TabController, Probed {
    let probe: Probe

    init(_ walk: Walk, host: ControllerHost) {
        probe = Probe(walk)
        super.init(host: host)
    }

    override func viewDidLoad() { probe.enter(.viewDidLoad, of: self) }
    override func viewWillAppear() { probe.enter(.viewWillAppear, of: self) }
    override func viewDidAppear() { probe.enter(.viewDidAppear, of: self) }
    override func viewWillDisappear() { probe.enter(.viewWillDisappear, of: self) }
    override func viewDidDisappear() { probe.enter(.viewDidDisappear, of: self) }
    override func viewDidLayoutSubviews() { probe.enter(.viewDidLayoutSubviews, of: self) }
    override func viewWillUnload() { probe.enter(.viewWillUnload, of: self) }
    override func viewDidUnload() { probe.enter(.viewDidUnload, of: self) }
    override func willMove(toParent parent: ViewController?) { probe.enter(.willMove, of: self) }
    override func didMove(toParent parent: ViewController?) { probe.enter(.didMove, of: self) }
    override func makePresentationController(
        presenting presenter: ViewController,
        style: PresentationStyle
    ) -> PresentationController {
        WalkedPresentation(probe, presented: self, presenting: presenter, style: style)
    }
}
