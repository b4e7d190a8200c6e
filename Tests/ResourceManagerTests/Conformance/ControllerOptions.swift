import ResourceManager

/// The options in which one test controller differs from another.
struct ControllerOptions: Sendable {
    enum LoadView: String {
        /// The override only calls `super`, so it has no effect.
        case `default`
        case assigns
        case assignsNothing
        case touchesViewFirst
    }

    /// What the override of `didReceiveMemoryWarning()` does.
    enum Reaction {
        case callsSuper
        case noSuper
        /// Releases the view if it has no window.
        case releases(asksWhetherLoaded: Bool)
        case touchesView
        case performs(Operation)
    }

    var loadView = LoadView.default
    var nibName: String?
    var className: String?
    var reaction = Reaction.callsSuper
    var forwardsAppearance = true
    var supportedModes: [String]?
    var hasBacking = false
    var refusedSegue: String?
    /// The operations that a callback performs after `super`.
    var on: [String: [Operation]] = [:]

    init() {}

    init(_ given: Fields) throws {
        var fields = given
        loadView = try fields.take("loadView") { try $0.choice() } ?? .default
        nibName = try fields.take("nibName") { try $0.text() }
        className = try fields.take("class") { try $0.text() }
        reaction = try Self.reaction(&fields)
        forwardsAppearance = try fields.take("forwardsAppearance") { try $0.flag() } ?? true
        supportedModes = try fields.take("supports") { try $0.texts() }
        hasBacking = try fields.take("backing") { try $0.flag() } ?? false
        refusedSegue = try fields.take("refusesSegue") { try $0.text() }
        on = try fields.take("on") { try $0.object().mapValues(Operation.list) } ?? [:]
        try fields.finish()
        if let unknown = on.keys.sorted().first(where: { !Self.callbacks.contains($0) }) {
            throw CaseProblem("there is no callback \(unknown) to do something in")
        }
    }

    /// The callbacks that can perform operations.
    ///
    /// In `deinit` the case can no longer refer to the controller.
    private static let callbacks = Alphabet.coreKinds.subtracting(["deinit"]).union([
        "willMove", "didMove", "willTransition", "didTransition", "shouldPerformSegue", "prepare", "connect",
        "connectAction", "saveViewState", "presentCompletion", "dismissCompletion", "transitionCompletion",
    ])

    private enum ReactionName: String {
        case `super`
        case noSuper
        case releaseIfOffWindow
        case releaseIfOffWindowNaive
        case warnAgain
        case createsController
        case releases
        case touchesViewAfterSuper
    }

    private static func reaction(_ fields: inout Fields) throws -> Reaction {
        let name: ReactionName = try fields.take("onMemoryWarning") { try $0.choice() } ?? .super
        switch name {
        case .super:
            return .callsSuper
        case .noSuper:
            return .noSuper
        case .releaseIfOffWindow:
            return .releases(asksWhetherLoaded: true)
        case .releaseIfOffWindowNaive:
            return .releases(asksWhetherLoaded: false)
        case .touchesViewAfterSuper:
            return .touchesView
        case .warnAgain:
            return .performs(Operation { $0.host.simulateMemoryWarning() })
        case .createsController:
            let created = try fields.need("creates") { try $0.text() }
            return .performs(Operation { _ = TracedController(created, ControllerOptions(), $0) })
        case .releases:
            let released = try fields.need("releasesName") { try $0.text() }
            return .performs(Operation { try $0.release(released) })
        }
    }
}
