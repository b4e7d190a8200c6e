/// An object that can perform commands: views, controllers, windows, the host.
///
/// A command without a receiver goes up the *responder chain* to the first responder with an action of that name (rule
/// 5.37). Most responders are views and controllers. An archive's object that is neither is another subclass of this
/// class.
open class Responder {
    // Read and assigned only as a whole, so no two accesses can overlap.
    @exclusivity(unchecked) private final var madeLink: WeakLink?

    /// A responder without a successor.
    public init() {}

    /// The next object in the responder chain; `nil` at its end.
    open var next: Responder? { nil }

    /// The actions of this class, by name.
    ///
    /// ```swift
    /// final class IndexController: ViewController {
    ///     override class var actions: Actions {
    ///         super.actions.adding("rebuild", IndexController.rebuild)
    ///     }
    ///     func rebuild(_ command: Command) -> String { "rebuilt \(command.argument)" }
    /// }
    /// ```
    open class var actions: Actions { Actions() }

    /// The outlets of this class, by name, which an archive can set.
    ///
    /// ```swift
    /// final class IndexController: ViewController {
    ///     weak var terms: TermsView?
    ///     override class var outlets: Outlets { super.outlets.adding("terms", \IndexController.terms) }
    /// }
    /// ```
    ///
    /// Make outlets into the view weak if possible. Outlets of a controller are set to `nil` when its view is released
    /// (rule 1.17).
    open class var outlets: Outlets { Outlets() }

    /// Sets an outlet to an object from an archive.
    ///
    /// The default looks up the name in ``outlets``.
    ///
    /// - Returns: Whether there is an outlet of that name for an object of this class.
    open func connect(_ object: Responder, toOutlet name: String) -> Bool {
        type(of: self).outlets.connect(object, to: name, of: self)
    }

    /// This object was made from an archive, and the outlets and actions of that archive are connected.
    ///
    /// Called on a storyboard's controller, before its view is loaded, and on the objects of each nib, but not on the
    /// nib's owner (rules 1.9 to 1.11).
    open func awakeFromNib() {}

    /// Whether this responder itself has an action of that name.
    open func canPerform(_ action: String) -> Bool {
        type(of: self).actions[action] != nil
    }

    /// Performs this responder's own action for the command.
    ///
    /// - Returns: ``CommandOutcome/unhandled`` if it has none; ``CommandOutcome/failed(_:)`` if the action threw an
    ///   error.
    open func perform(_ command: Command) -> CommandOutcome {
        type(of: self).actions[command.name]?(self, command) ?? .unhandled
    }

    /// Sends a command up the responder chain, starting here, until a responder handles it.
    ///
    /// Synchronous: the handler has run when this returns.
    public final func send(_ command: Command) -> CommandOutcome {
        for responder in chain where responder.canPerform(command.name) {
            return responder.perform(command)
        }
        return .unhandled
    }

    /// This responder and those after it (rule 5.37).
    ///
    /// The order is: view, its superviews, each controller after its root view, the window, the host, and the host's
    /// delegate if it is a responder. After a presented controller comes its presenter, then the window. The chain ends at
    /// a responder that is in it already, as the delegate may be.
    public final var chain: [Responder] {
        var chain: [Responder] = []
        var members: Set<ObjectIdentifier> = []
        var responder: Responder? = self
        while let current = responder, members.insert(ObjectIdentifier(current)).inserted {
            // The delegate is the last, although its own chain may go on.
            let isLast = chain.last is ControllerHost
            chain.append(current)
            if isLast { break }
            guard let controller = current as? ViewController, let presenter = controller.presenter else {
                responder = current.next
                continue
            }
            chain.append(presenter)
            responder = presenter.servingWindow ?? controller.servingWindow ?? controller.host
        }
        return chain
    }
}

extension Responder: WeaklyReferable {
    final var weakLink: WeakLink {
        if let madeLink { return madeLink }
        let link = WeakLink(to: self)
        madeLink = link
        return link
    }
}
