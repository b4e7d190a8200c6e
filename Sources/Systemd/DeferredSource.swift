internal import CSystemd

/// The handle of work that is put off until nothing more important is pending; dropping it takes the work back.
///
/// See ``EventLoop/deferred(priority:handler:)``.
public final class DeferredSource: EventSource {
    override init(_ added: AddedSource) {
        super.init(added)
        // sd-event schedules a new deferred source by itself.
        sd_event_source_set_enabled(source, CInt(SD_EVENT_OFF))
    }

    /// Calls the handler once more, however often it is asked for before that; allocates nothing.
    ///
    /// May be called from the handler itself, which then runs again after everything more important. After the loop has
    /// ended it does nothing.
    public func schedule() {
        // Fails only after the end of the loop (ESTALE), when no handler is called any more.
        sd_event_source_set_enabled(source, CInt(SD_EVENT_ONESHOT))
    }
}
