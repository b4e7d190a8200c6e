import ResourceManager

/// The stack that is the service: the index at the bottom, queries and shards on it.
final class ServiceController: NavigationController {
    override class var actions: Actions { super.actions.adding("back", ServiceController.back) }

    /// `back`: whatever is shown sends this up to here, unless it is presented.
    private func back(_ command: Command) throws {
        guard pop() != nil else { throw Refusal("this is the bottom") }
    }
}
