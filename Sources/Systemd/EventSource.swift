internal import CSystemd

/// The handle of a source of an ``EventLoop``; dropping it unregisters the source.
///
/// It may be dropped from inside the source's own handler: the handler's captures live until it returns. See
/// sd_event_source_disable_unref(3).
public class EventSource {
    let source: OpaquePointer
    /// The handler, kept as long as the source.
    private let handler: AnyHandler
    private let handlers: Handlers

    /// Takes ownership of the reference to the source.
    init(_ added: AddedSource) {
        source = added.source
        handler = added.handler
        handlers = added.handlers
    }

    deinit {
        sd_event_source_disable_unref(source)
        handlers.remove(handler)
    }
}

/// A source that was added just now.
struct AddedSource {
    let source: OpaquePointer
    let handler: AnyHandler
    let handlers: Handlers
}
