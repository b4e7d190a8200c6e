/// One step in the life of a controller, as ``ControllerHost/onLifecycleEvent(_:)`` reports it.
///
/// Reported just before the library calls the callback of that name. Calls that a program makes itself, of `super` for
/// example, are not reported.
public struct LifecycleEvent: Sendable, Hashable {
    /// The kind of step.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        case `init`
        case initCoder = "init(coder:)"
        case awakeFromNib, `deinit`
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        case loadView, connect, connectAction, viewDidLoad
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        case viewWillAppear, viewDidAppear, viewWillDisappear, viewDidDisappear
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        case viewWillLayoutSubviews, viewDidLayoutSubviews
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        case didReceiveMemoryWarning, viewWillUnload, viewDidUnload, degrade, recover
        // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
        case willMove, didMove, willTransition, didTransition, shouldPerformSegue, prepare
    }

    /// The kind of step.
    public let kind: Kind
    /// The object of the step: a parent, an outlet, an environment's mode; `nil` for kinds that have none.
    public let detail: String?
    /// The controller's ``ViewController/title`` or, without one, its class.
    public let controllerName: String
    /// Identifies the controller among others of its name, for as long as it lives.
    public let controllerID: ObjectIdentifier

    /// The event in the form of transcripts: `Index.viewDidLoad`, `Index.willMove(nil)`.
    public var description: String {
        guard let detail else { return "\(controllerName).\(kind.rawValue)" }
        let label = kind == .prepare ? "for:" : ""
        return "\(controllerName).\(kind.rawValue)(\(label)\(detail))"
    }
}

extension LifecycleEvent: CustomStringConvertible {}

extension ControllerHost {
    /// Calls `observer` before each callback that the library makes in any of the host's controllers; for metrics,
    /// transcripts and tests.
    ///
    /// An observer should only take notes: what it changes about controllers is complete before the callback that it was
    /// told of, which then comes late.
    ///
    /// While there is an observer, each callback costs the construction of one event. Otherwise like
    /// ``onMemoryWarning(_:)``.
    public func onLifecycleEvent(_ observer: @escaping (LifecycleEvent) -> Void) -> Registration {
        lifecycleObservers.add(observer)
    }
}

extension ViewController {
    @inline(__always)
    final func announce(_ kind: LifecycleEvent.Kind, _ detail: @autoclosure () -> String? = nil) {
        if !host.lifecycleObservers.isEmpty { report(kind, detail()) }
    }

    @inline(never)
    private final func report(_ kind: LifecycleEvent.Kind, _ detail: String?) {
        host.lifecycleObservers.callAll(
            LifecycleEvent(
                kind: kind,
                detail: detail,
                controllerName: displayName,
                controllerID: ObjectIdentifier(self)
            )
        )
    }

    /// The name of the controller in transcripts.
    final var displayName: String { title ?? className.unqualified }
}
