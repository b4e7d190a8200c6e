package import MemoryPressure

/// The part of a warning that a host passes to the process's caches.
package struct ReclaimRequest: Sendable, Hashable {
    /// Its urgency; ``PressureLevel/normal`` means that pressure is over.
    package var level: PressureLevel
    /// The bytes wanted of the host; 0 if unknown.
    package var bytesWanted: UInt64
    /// Whether the request is a simulation: memory is not short.
    package var isSimulated: Bool
    /// Whether a simulated level lasts since the last warning, although pressure has been reported as over in between:
    /// no `normal` follows a simulation, so each one ends at once.
    package var isRepeat: Bool
    /// The sender's number of the round, which every host of the process receives once; 0 if there is none.
    package var round: UInt64

    /// Creates a request; with the defaults for the level's share of everything, independent of earlier requests.
    package init(
        level: PressureLevel,
        bytesWanted: UInt64 = 0,
        isSimulated: Bool = true,
        isRepeat: Bool = false,
        round: UInt64 = 0
    ) {
        self.level = level
        self.bytesWanted = bytesWanted
        self.isSimulated = isSimulated
        self.isRepeat = isRepeat
        self.round = round
    }
}
