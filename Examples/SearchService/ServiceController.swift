import ResourceManager

/// The stack of the service: the index at the bottom, queries and shards on top of it.
final class ServiceController: NavigationController {
    override class var actions: Actions { super.actions.adding("back", ServiceController.back) }

    /// `back`: the shown controller sends it up the responder chain to here, unless it is presented.
    private func back(_ command: Command) throws {
        guard pop() != nil else { throw Refusal("this is the bottom") }
    }
}
