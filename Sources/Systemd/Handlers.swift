/// The handlers of all sources of an event loop, which the loop lets go of at its end.
///
/// A handler may hold the owner of its own handle, as long as the loop keeps it and not longer.
final class Handlers {
    private var all: [AnyHandler] = []

    /// Adds a handler, once.
    func add(_ handler: AnyHandler) {
        handler.place = all.count
        all.append(handler)
    }

    /// Forgets a handler, which may have been let go of already.
    func remove(_ handler: AnyHandler) {
        guard handler.place < all.count, all[handler.place] === handler else { return }
        let last = all.removeLast()
        guard last !== handler else { return }
        last.place = handler.place
        all[last.place] = last
    }

    /// Lets go of what all handlers hold.
    func letGo() {
        // Apart from the list, since what goes may drop handles of others.
        let former = all
        all = []
        for handler in former { handler.letGo() }
    }
}

/// A handler of any event.
class AnyHandler {
    /// Where ``Handlers`` has it.
    fileprivate(set) var place = Int.max

    /// Calls nothing any more, and keeps nothing.
    func letGo() {}
}

/// A handler on its way through a C callback's `userdata`, which does not keep it: the handle of its source does.
final class Handler<Event>: AnyHandler {
    private var body: ((Event) -> Void)?

    init(_ body: @escaping (Event) -> Void) {
        self.body = body
    }

    var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Calls the handler behind a C callback's `userdata`.
    static func call(_ userdata: UnsafeMutableRawPointer?, _ event: Event) {
        guard let userdata else { return }
        // A reference of the call's own: the handler may drop its handle, and what it holds is there until it returns.
        let body = Unmanaged<Handler>.fromOpaque(userdata).takeUnretainedValue().body
        body?(event)
    }

    override func letGo() {
        // Destroyed after the property is empty, since it may drop the handle of this very handler.
        let former = body
        body = nil
        withExtendedLifetime(former) {}
    }
}
