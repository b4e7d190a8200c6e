internal import CSystemd

/// The handle of something an ``EventLoop`` waits for; dropping it unregisters the source.
///
/// It may be dropped from inside the source's own handler: the handler's captures live until it returns. See
/// sd_event_source_disable_unref(3).
public class EventSource {
    let source: OpaquePointer

    /// Takes over the reference to `source`.
    init(_ source: OpaquePointer) {
        self.source = source
    }

    deinit {
        sd_event_source_disable_unref(source)
    }
}

/// A handler on its way through a C callback's `userdata`: retained when a source is added, released by its destroy
/// callback.
final class Handler<Event> {
    private let body: (Event) -> Void

    init(_ body: @escaping (Event) -> Void) {
        self.body = body
    }

    /// Calls the handler behind a C callback's `userdata`.
    ///
    /// libsystemd puts off the destroy callback of a source that is dropped by its own handler until the handler has
    /// returned, so the handler is there for as long as it runs.
    static func call(_ userdata: UnsafeMutableRawPointer?, _ event: Event) {
        guard let userdata else { return }
        Unmanaged<Handler>.fromOpaque(userdata).takeUnretainedValue().body(event)
    }
}
