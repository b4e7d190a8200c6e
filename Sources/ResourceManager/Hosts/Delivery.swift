internal import MemoryPressure
internal import ResourceCaches

/// A delivery under way: its present warning, and the outcome so far.
struct Delivery {
    /// Kept for the delivery: a callback may release the service's last reference, and optimised code that calls
    /// `hosts.first.map { $0.deliver(warning) }` on an actor can be without one of its own.
    private let host: ControllerHost
    /// The warning that the delivery was called with.
    let first: MemoryWarning
    /// The warning being delivered now: the first, or the follow-up that callbacks have requested.
    private(set) var warning: MemoryWarning
    /// Whether ``warning`` is broadcast, or only changes the level; a follow-up is always broadcast.
    private(set) var isBroadcast: Bool
    /// The most urgent warning that callbacks have requested.
    private var wish: MemoryWarning?
    private var isFollowUp = false
    /// Whether a callback has delivered the normal level after its requests: what the broadcasts degraded recovers.
    private(set) var isOver = false
    /// The actor that the delivery runs on; `nil` if that is not known.
    let isolation: (any Actor)?
    /// The calls on other actors that are still due.
    var calls: [@Sendable () async -> Int] = []

    /// The bytes released so far, by their owners' own count.
    private(set) var released: UInt64 = 0
    private let start = ContinuousClock.now
    private let residentBefore: UInt64
    private var residentAfter: UInt64 = 0

    init(
        _ warning: MemoryWarning,
        to host: ControllerHost,
        isBroadcast: Bool,
        residentBefore: UInt64,
        isolation: (any Actor)?
    ) {
        self.host = host
        first = warning
        self.warning = warning
        self.isBroadcast = isBroadcast
        self.residentBefore = residentBefore
        self.isolation = isolation
    }

    /// The request to the caches, after all other parts of the host.
    var request: ReclaimRequest {
        ReclaimRequest(
            level: warning.level,
            bytesWanted: warning.bytesWanted,
            isSimulated: warning.isSimulated,
            isRepeat: warning.isSimulated && warning.isRepeat,
            round: warning.round
        )
    }

    mutating func count(_ bytes: UInt64) {
        released = released.addingSaturated(bytes)
    }

    mutating func count(_ outcome: ReclaimingHost.Outcome) {
        count(outcome.droppedBytes)
        // It cannot be read without a free descriptor: then no fall is known.
        residentAfter = outcome.residentBytes > 0 ? outcome.residentBytes : residentBefore
    }

    /// Begins the calls on other actors; `nil` if there are none.
    mutating func beginCalls() -> ActorAnswers? {
        guard !calls.isEmpty else { return nil }
        defer { calls = [] }
        return ActorAnswers(calls, at: warning.level)
    }

    /// Records that a callback requests a broadcast.
    mutating func note(_ warning: MemoryWarning) {
        isOver = false
        if let wish, wish.level > warning.level { return }
        wish = warning
    }

    /// Records that a callback delivers the normal level.
    mutating func noteNormal() {
        isOver = true
    }

    /// Continues with the follow-up that callbacks have requested; false if there is none, or if it has been delivered.
    mutating func beginFollowUp() -> Bool {
        guard !isFollowUp, let wish else { return false }
        warning = wish
        isFollowUp = true
        isBroadcast = true
        return true
    }

    /// The outcome; `nil` if there was no broadcast.
    ///
    /// Of the released bytes, it counts those that the allocator can have returned to the kernel.
    var release: MemoryRelease? {
        guard isBroadcast else { return nil }
        return MemoryRelease(
            released: Allocator.current.claim(released, residentBefore: residentBefore, after: residentAfter),
            residentBefore: residentBefore,
            residentAfter: residentAfter,
            duration: start.duration(to: .now)
        )
    }
}
