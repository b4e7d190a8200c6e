package import MemoryPressure

/// What a host passes on of a warning to the process's caches.
package struct ReclaimRequest: Sendable, Hashable {
    /// How urgent it is; ``PressureLevel/normal`` says that pressure is over.
    package var level: PressureLevel
    /// The bytes that the host is asked for; 0 if the sender does not know.
    package var bytesWanted: UInt64
    /// Whether no memory is short, and the request is only to show what would happen.
    package var isSimulated: Bool
    /// The sender's number of the round, which every host of the process hears of once; 0 if there is none.
    package var round: UInt64

    /// A request; with the defaults for the level's share of everything, whatever came before.
    package init(level: PressureLevel, bytesWanted: UInt64 = 0, isSimulated: Bool = true, round: UInt64 = 0) {
        self.level = level
        self.bytesWanted = bytesWanted
        self.isSimulated = isSimulated
        self.round = round
    }
}
