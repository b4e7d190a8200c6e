internal import CSystemd

/// The handle of work that is deferred until no more important source is pending; dropping it cancels the work.
///
/// See ``EventLoop/deferred(priority:handler:)``.
public final class DeferredSource: EventSource {
    override init(_ added: AddedSource) {
        super.init(added)
        // sd-event schedules a new deferred source by itself.
        sd_event_source_set_enabled(source, CInt(SD_EVENT_OFF))
    }

    /// Calls the handler once more, even if this is called several times before that; allocates nothing.
    ///
    /// May be called from the handler itself, which then runs again after all more important sources. After the loop
    /// has ended it does nothing.
    public func schedule() {
        // Fails only after the end of the loop (ESTALE), when no handler is called any more.
        sd_event_source_set_enabled(source, CInt(SD_EVENT_ONESHOT))
    }
}
