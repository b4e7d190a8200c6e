internal import MemoryPressure
internal import ResourceCaches

/// A delivery under way: what is being said, and what came of it so far.
struct Delivery {
    /// What the delivery is for.
    let first: MemoryWarning
    /// What is being said now: the first, or the one that was asked for inside.
    private(set) var warning: MemoryWarning
    /// Whether everything hears of ``warning``, or it only changes the level; a follow-up is for everything.
    private(set) var isBroadcast: Bool
    /// The most urgent that was asked for inside.
    private var wish: MemoryWarning?
    private var isFollowUp = false
    /// The actor that the delivery runs on; `nil` if that is not known.
    let isolation: (any Actor)?
    /// What other actors are still to be told.
    var calls: [@Sendable () async -> Int] = []

    /// The bytes that were given up so far, by own count.
    private(set) var released: UInt64 = 0
    private let start = ContinuousClock.now
    private let residentBefore: UInt64
    private var residentAfter: UInt64 = 0

    init(_ warning: MemoryWarning, isBroadcast: Bool, residentBefore: UInt64, isolation: (any Actor)?) {
        first = warning
        self.warning = warning
        self.isBroadcast = isBroadcast
        self.residentBefore = residentBefore
        self.isolation = isolation
    }

    /// What caches are asked for, once everything else has been.
    var request: ReclaimRequest {
        ReclaimRequest(
            level: warning.level,
            bytesWanted: warning.bytesWanted,
            isSimulated: warning.isSimulated,
            round: warning.round
        )
    }

    mutating func count(_ bytes: UInt64) {
        released = released.addingSaturated(bytes)
    }

    mutating func count(_ outcome: ReclaimingHost.Outcome) {
        count(outcome.droppedBytes)
        residentAfter = outcome.residentBytes
    }

    /// Begins what other actors are still to be told; `nil` if there is nothing.
    mutating func beginCalls() -> ActorAnswers? {
        guard !calls.isEmpty else { return nil }
        defer { calls = [] }
        return ActorAnswers(calls)
    }

    /// Notes that a callback asks for a broadcast.
    mutating func note(_ warning: MemoryWarning) {
        if let wish, wish.level > warning.level { return }
        wish = warning
    }

    /// Goes on with what was asked for inside; false if there is nothing, or if that has been.
    mutating func beginFollowUp() -> Bool {
        guard !isFollowUp, let wish else { return false }
        warning = wish
        isFollowUp = true
        isBroadcast = true
        return true
    }

    /// What it brought; `nil` if nothing was broadcast.
    ///
    /// Of what was given up, that counts which the allocator can have returned.
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
