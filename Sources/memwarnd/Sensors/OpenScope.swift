import MemoryPressure
import Systemd
import WarningPolicy

/// The files of one scope, and their triggers on the loop.
final class OpenScope {
    let files: SensorFiles
    private var sources: [(trigger: PressureSensor.Trigger, source: IOSource)] = []
    private var listening: TriggerSet
    /// The stalls that were last shown, and when they were read.
    var shown: (at: MonotonicInstant, stalls: PressureStall?)?
    /// The headroom that was last shown, and when it was read.
    var shownHeadroom: (at: MonotonicInstant, headroom: Headroom?)?

    /// Polls all triggers of the files; `fired` is called from the loop, with whether the trigger is dead.
    ///
    /// - Throws: ``KernelError`` if the loop cannot take them.
    init(
        _ files: SensorFiles,
        loop: EventLoop,
        fired: @escaping (_ trigger: PressureSensor.Trigger, _ isDead: Bool) -> Void
    ) throws(KernelError) {
        self.files = files
        listening = files.descriptors.reduce(into: []) { $0.formUnion(TriggerSet($1.trigger)) }
        do throws(SystemdError) {
            for (trigger, descriptor) in files.descriptors {
                // PSI files are always readable: only PRI is an event, and ERR is always reported.
                let priority = trigger == .stalls(.full) ? EventLoop.Priority.urgent : .important
                let source = try loop.watch(descriptor, for: .priority, priority: priority) { ready in
                    // A dead PSI file reports an error at every poll. Limits report ERR with every event.
                    let isDead = trigger != .limits && ready.contains(.error)
                    if isDead { for (_, source) in self.sources { source.disable() } }
                    fired(trigger, isDead)
                }
                sources.append((trigger, source))
            }
        } catch {
            sources = []
            throw KernelError("wait for events of", files.place.name, errno: error.errno)
        }
    }

    deinit {
        // The sources have to be dropped before the files close their descriptors.
        sources = []
    }

    /// Stops polling; without this call it continues until the loop has ended.
    func end() {
        sources = []
    }

    /// The present triggers.
    var triggers: TriggerSet { sources.reduce(into: []) { $0.formUnion(TriggerSet($1.trigger)) } }

    /// Polls these triggers and no others.
    ///
    /// - Throws: ``SystemdError`` if the kernel has no room for them; then some are not polled.
    func listen(_ wanted: TriggerSet) throws(SystemdError) {
        // Events from the time without polling are old.
        if !wanted.subtracting(listening).isDisjoint(with: [.some, .full]) { files.discardPendingEvents() }
        for (trigger, source) in sources {
            if wanted.contains(trigger) { try source.enable() } else { source.disable() }
        }
        listening = wanted
    }
}
