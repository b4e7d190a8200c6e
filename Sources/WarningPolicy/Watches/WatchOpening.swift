package import MemoryPressure

/// What came of opening a scope's files.
package enum WatchOpening: Sendable {
    /// They are open, and all their triggers are polled.
    case opened(OpenedFiles)
    /// There is nothing that can be read; what was open before stays so.
    case failed(KernelError)
}

/// The files of a scope, as far as the policy has to know them.
package struct OpenedFiles: Sendable {
    /// The rung of the ladder.
    package var rung: Rung
    /// Why it is no higher; empty on the top rung.
    package var rungReason: String
    /// The window of the triggers, or how often to read while readings decide.
    package var window: Duration
    /// What can be polled.
    package var triggers: TriggerSet
    /// What the files said first.
    package var first: SensorReadings
    /// Whether the program is told when a limit, or the accounting, is changed.
    package var hearsMoves: Bool
    /// Whether something was left out for want of a descriptor or of memory.
    package var isShort: Bool

    package init(
        rung: Rung,
        rungReason: String = "",
        window: Duration,
        triggers: TriggerSet = [],
        first: SensorReadings,
        hearsMoves: Bool = true,
        isShort: Bool = false
    ) {
        (self.rung, self.rungReason, self.window) = (rung, rungReason, window)
        (self.triggers, self.first) = (triggers, first)
        (self.hearsMoves, self.isShort) = (hearsMoves, isShort)
    }
}
