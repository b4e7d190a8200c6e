package import MemoryPressure

/// The result of opening a scope's files.
package enum WatchOpening: Sendable {
    /// They are open, and all their triggers are polled.
    case opened(OpenedFiles)
    /// Nothing can be read; files that were open before stay open.
    case failed(KernelError)
}

/// The properties of a scope's files that the policy needs.
package struct OpenedFiles: Sendable {
    /// The rung of the ladder.
    package var rung: Rung
    /// Why it is no higher; empty on the top rung.
    package var rungReason: String
    /// The window of the triggers, or the interval between readings while readings decide.
    package var window: Duration
    /// The triggers that can be polled.
    package var triggers: TriggerSet
    /// The first readings of the files.
    package var first: SensorReadings
    /// Whether the program is notified when a limit or the accounting changes.
    package var watchesChanges: Bool
    /// Whether a file was left out for lack of descriptors or memory.
    package var isShort: Bool

    package init(
        rung: Rung,
        rungReason: String = "",
        window: Duration,
        triggers: TriggerSet = [],
        first: SensorReadings,
        watchesChanges: Bool = true,
        isShort: Bool = false
    ) {
        (self.rung, self.rungReason, self.window) = (rung, rungReason, window)
        (self.triggers, self.first) = (triggers, first)
        (self.watchesChanges, self.isShort) = (watchesChanges, isShort)
    }
}
