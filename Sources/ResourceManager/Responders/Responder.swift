/// An object that can do something on command: views, controllers, windows, the host.
///
/// A command without a receiver goes up the *responder chain* to the first responder with an action of that name (rule
/// 5.37). Most are views and controllers; an object of an archive that is neither is a subclass of this.
open class Responder {
    /// A responder that nothing comes after.
    public init() {}

    /// What comes next in the responder chain; `nil` at its end.
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

    /// The outlets of this class, by name: what an archive may set.
    ///
    /// ```swift
    /// final class IndexController: ViewController {
    ///     weak var terms: TermsView?
    ///     override class var outlets: Outlets { super.outlets.adding("terms", \IndexController.terms) }
    /// }
    /// ```
    ///
    /// Outlets into the view are best weak; those of a controller are set to `nil` when its view goes (rule 1.17).
    open class var outlets: Outlets { Outlets() }

    /// Sets an outlet to an object from an archive.
    ///
    /// The default looks in ``outlets``.
    ///
    /// - Returns: Whether there is an outlet of that name for such an object.
    open func connect(_ object: Responder, toOutlet name: String) -> Bool {
        type(of: self).outlets.connect(object, to: name, of: self)
    }

    /// This object has come out of an archive, and the outlets and actions of that archive are connected.
    ///
    /// Called on a storyboard's controller, whose view is not loaded by then, and on the objects of each nib, not on the
    /// nib's owner (rules 1.9 to 1.11).
    open func awakeFromNib() {}

    /// Whether this responder itself has an action of that name.
    open func canPerform(_ action: String) -> Bool {
        type(of: self).actions[action] != nil
    }

    /// Has this responder itself do what its action of the command's name does.
    ///
    /// - Returns: ``CommandOutcome/unhandled`` if it has none; ``CommandOutcome/failed(_:)`` if that threw.
    open func perform(_ command: Command) -> CommandOutcome {
        type(of: self).actions[command.name]?(self, command) ?? .unhandled
    }

    /// Sends a command up the responder chain, from here on, until a responder handles it.
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
    /// View, its superviews, each controller behind its root view, the window, the host, and the host's delegate if that
    /// is a responder. Behind a presented controller comes its presenter, then the window.
    public final var chain: [Responder] {
        var chain: [Responder] = []
        var responder: Responder? = self
        while let current = responder {
            chain.append(current)
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
