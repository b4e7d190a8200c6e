import Testing

@testable import ResourceManager

/// A controller that checks in each callback that the callback is permitted at that moment.
final class WatchedController: ViewController {
    /// The state that all controllers of a run share.
    final class Watch {
        var isWarning = false
        var violations: [String] = []
        /// Runs inside each callback, in the middle of an operation.
        ///
        /// Callbacks then need not pair (rule 3.18).
        var onCallback: ((WatchedController) -> Void)?
        var alive = 0
    }

    let name: String
    private let watch: Watch
    private var phase = Phase.disappeared
    var forwards = true

    private enum Phase: String {
        case disappeared, appearing, appeared, disappearing
    }

    init(_ name: String, host: ControllerHost, watch: Watch) {
        self.name = name
        self.watch = watch
        watch.alive += 1
        super.init(host: host)
    }

    deinit {
        watch.alive -= 1
    }

    private func check(_ condition: Bool, _ what: @autoclosure () -> String) {
        if !condition { watch.violations.append("\(name): \(what())") }
    }

    /// Will- and did-callbacks alternate; a transition may reverse (rule 3.17).
    private func enter(_ next: Phase, from allowed: Phase...) {
        check(allowed.contains(phase), "\(next) after \(phase)")
        phase = next
        watch.onCallback?(self)
    }

    override var shouldAutomaticallyForwardAppearanceMethods: Bool { forwards }

    override func loadView() {
        check(!watch.isWarning, "a warning loaded the view")
        check(!isViewLoaded, "loaded twice")
        super.loadView()
    }

    override func viewDidLoad() {
        check(isViewLoaded, "viewDidLoad without a view")
        check(view.superview == nil, "viewDidLoad in a superview")
        watch.onCallback?(self)
    }

    override func viewWillAppear() {
        check(isViewLoaded, "viewWillAppear without a view")
        enter(.appearing, from: .disappeared, .disappearing)
    }

    override func viewDidAppear() { enter(.appeared, from: .appearing) }
    override func viewWillDisappear() { enter(.disappearing, from: .appeared, .appearing) }
    override func viewDidDisappear() { enter(.disappeared, from: .disappearing) }

    override func viewWillUnload() {
        check(watch.isWarning, "unloaded without a warning")
        check(isViewLoaded, "viewWillUnload without a view")
        check(viewIfLoaded?.window == nil, "unloaded on window")
        check(phase == .disappeared || watch.onCallback != nil, "unloaded while \(phase)")
    }

    override func viewDidUnload() {
        check(!isViewLoaded, "viewDidUnload with a view")
    }

    override func didReceiveMemoryWarning() {
        let wasOnWindow = viewIfLoaded?.window != nil
        super.didReceiveMemoryWarning()
        if wasOnWindow { check(viewIfLoaded?.window != nil, "a warning took the view off window") }
    }

    /// Checks the controller between operations.
    func checkAtRest() {
        check(loading == .idle, "a load was left under way")
        check(!appearance.isUnderWay, "a transition was left under way: \(place)")
        guard watch.onCallback == nil else { return }
        check(phase == .appeared || phase == .disappeared, "left \(phase)")
        // Setting the view to nil in service takes the controller out of service without a callback.
        check(!(viewIfLoaded?.window == nil && appearance.phase == .appeared), "appeared off window: \(place)")
    }

    /// The view's superviews, which help to understand a violation.
    private var place: String {
        var names = [
            parent.map { "child of \(type(of: $0))" } ?? presenter.map { "presented by \($0.className)" }
                ?? "on its own"
        ]
        var next = viewIfLoaded?.superview
        while let view = next {
            names.append(
                view.controller.map { ($0 as? WatchedController)?.name ?? $0.className } ?? "\(type(of: view))"
            )
            next = view.superview
        }
        return names.joined(separator: " in ")
    }
}
