/// The handlers of all sources of an event loop, which the loop releases at its end.
///
/// A handler may hold the owner of its own handle, but only for as long as the loop keeps the handler.
final class Handlers {
    private var all: [AnyHandler] = []

    /// Adds a handler, once.
    func add(_ handler: AnyHandler) {
        handler.place = all.count
        all.append(handler)
    }

    /// Removes a handler, which may have been released already.
    func remove(_ handler: AnyHandler) {
        guard handler.place < all.count, all[handler.place] === handler else { return }
        let last = all.removeLast()
        guard last !== handler else { return }
        last.place = handler.place
        all[last.place] = last
    }

    /// Releases the captures of all handlers.
    func letGo() {
        // The list is emptied first, since a released capture may drop handles of other sources.
        let former = all
        all = []
        for handler in former { handler.letGo() }
    }
}

/// A handler of any event.
class AnyHandler {
    /// Its position in ``Handlers``.
    fileprivate(set) var place = Int.max

    /// Releases the closure, so that nothing is called any more.
    func letGo() {}
}

/// A handler as a C callback's `userdata`, which does not keep it: the handle of its source does.
final class Handler<Event>: AnyHandler {
    private var body: ((Event) -> Void)?

    init(_ body: @escaping (Event) -> Void) {
        self.body = body
    }

    var userdata: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    /// Calls the handler that a C callback's `userdata` refers to.
    static func call(_ userdata: UnsafeMutableRawPointer?, _ event: Event) {
        guard let userdata else { return }
        // The call holds a reference of its own: the handler may drop its handle, and its captures must live until it
        // returns.
        let body = Unmanaged<Handler>.fromOpaque(userdata).takeUnretainedValue().body
        body?(event)
    }

    override func letGo() {
        // Destroyed after the property is empty, since it may drop the handle of this same handler.
        let former = body
        body = nil
        withExtendedLifetime(former) {}
    }
}
