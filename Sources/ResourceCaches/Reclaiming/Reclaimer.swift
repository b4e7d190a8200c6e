internal import MemoryPressure

/// Passes warnings on to the process's caches, whichever host hears of them.
///
/// Caches belong to no isolation and hosts to several, so this stands between them. Each host has a ``ReclaimingHost`` of
/// its own; ``SharedWarnings`` says what a warning of one of several hosts asks of the caches.
package final class Reclaimer: Sendable {
    /// The process's own.
    package static let shared = Reclaimer(loadLimiter: .shared)

    private let ownLoadLimiter: LoadLimiter
    /// The clock of caches that bring none of their own.
    let clock: CacheClock

    /// Finds a responder for one round, or for none, if it is alive.
    typealias Member = @Sendable (AsyncAnswers?) -> (any ReclaimResponder)?

    private struct State {
        /// In order of creation.
        var members: [Member] = []
        var sweepThreshold = 32
        var warnings = SharedWarnings()
        /// How often responders were asked to give memory back.
        var events: UInt64 = 0
        /// Where responders register once this one has ended.
        var successor: Reclaimer?
        /// Called without the lock when a host begins to run or no longer runs.
        var onHostChange: (@Sendable () -> Void)?
    }

    private let state = Guarded(State())
    private let thread = WorkThread()

    package convenience init(loadLimiter: LoadLimiter = LoadLimiter()) {
        self.init(loadLimiter: loadLimiter, clock: .coarse)
    }

    init(loadLimiter: LoadLimiter, clock: CacheClock) {
        ownLoadLimiter = loadLimiter
        self.clock = clock
    }

    /// What holds loads back after pressure; active from each event on until what it took has had time to come back.
    package var loadLimiter: LoadLimiter { successor?.loadLimiter ?? ownLoadLimiter }

    /// The one to which all was left, once this one has ended.
    var successor: Reclaimer? { state.withLock { $0.successor } }

    // MARK: Responders

    /// Adds a responder, which is not kept alive; amortised O(1), as the dead are swept each time the list has doubled.
    package func register(_ responder: some AnyObject & ReclaimResponder) {
        register { [weak responder] _ in responder }
    }

    /// Adds what finds a responder.
    func register(_ member: @escaping Member) {
        // What is looked at may lose its last other reference meanwhile; it must not end under the lock.
        let (seen, successor) = state.withLock { state -> ([any ReclaimResponder], Reclaimer?) in
            if let successor = state.successor { return ([], successor) }
            var seen: [any ReclaimResponder] = []
            if state.members.count >= state.sweepThreshold {
                state.members.removeAll { member in
                    guard let responder = member(nil) else { return true }
                    seen.append(responder)
                    return false
                }
                state.sweepThreshold = max(32, state.members.count * 2)
            }
            state.members.append(member)
            return (seen, nil)
        }
        withExtendedLifetime(seen) {}
        successor?.register(member)
    }

    /// Ends pressure and the limit of loads for good, and leaves the responders that are alive, and all that are made
    /// later, to another one.
    func end(leavingAllTo successor: Reclaimer) {
        pressureDidEnd()
        ownLoadLimiter.stop()
        let members = state.withLock { state in
            state.successor = successor
            defer { state.members = [] }
            return state.members
        }
        for member in members where member(nil) != nil { successor.register(member) }
    }

    /// Those that are alive, in order of creation.
    private func responders(in round: AsyncAnswers? = nil) -> [any ReclaimResponder] {
        state.withLock { $0.members }.compactMap { $0(round) }
    }

    /// Has all responders give back what is asked for, whatever they gave before, and returns how many bytes they
    /// did.
    ///
    /// Without ``ReclaimRequest/bytesWanted`` each keeps the level's share of what it holds: first what would not be missed
    /// goes everywhere, then the rest. Repeated events multiply. With it, that many bytes go in all, in proportion to
    /// what each has; at critical never less than without.
    ///
    /// Synchronous: the values end on the calling thread, in batches, and freed pages return to the kernel meanwhile.
    ///
    /// - Parameters:
    ///   - request: What is asked for; back to normal is passed on as ``pressureDidEnd()``.
    ///   - alreadyReleased: What controllers gave up in the same delivery, which counts towards the bytes wanted.
    ///   - patience: How long to block for asynchronous responders, each time that they are asked. Without it they are
    ///     asked for their part all the same, and what they give is not in the result.
    /// - Returns: The bytes that were dropped, by own count.
    @discardableResult
    package func reclaim(
        for request: ReclaimRequest,
        alreadyReleased: UInt64 = 0,
        patience: Duration? = nil
    ) -> UInt64 {
        guard request.level > .normal else {
            pressureDidEnd()
            return 0
        }
        let wanted = request.bytesWanted
        let missing = wanted - min(wanted, alreadyReleased)
        return reclaim(.level(bytes: wanted == 0 ? nil : missing), at: request.level, patience)
    }

    private func reclaim(_ part: SharedWarnings.Part, at level: PressureLevel, _ patience: Duration?) -> UInt64 {
        state.withLock { $0.events += 1 }
        // Before anything is dropped, as loads for it may begin at once.
        ownLoadLimiter.pressureDidBegin()
        let pacer = ReclaimPacer()
        let answers = AsyncAnswers(patience: patience)
        let responders = responders(in: answers)
        func round(at level: PressureLevel) -> ReclaimRound {
            ReclaimRound(level: level, responders: responders, pacer: pacer, answers: answers)
        }
        switch part {
        case .nothing: break
        case .level(let bytes): round(at: level).reclaim(target: bytes.map { Int(clamping: $0) })
        // The rule has been followed, so that at critical, too, no more is asked for than at a warning.
        case .bytes(let bytes): round(at: .warning).reclaim(target: Int(clamping: bytes))
        }
        // One that has ended meanwhile will tell of no end: it has left its responders to another one.
        if successor != nil { for responder in responders { responder.pressureDidEnd() } }
        return UInt64(max(0, pacer.droppedBytes))
    }

    /// Tells all responders that they may grow again; more than once is the same as once.
    package func pressureDidEnd() {
        pressureDidEnd(after: events)
    }

    private var events: UInt64 { state.withLock { $0.events } }

    /// - Parameter last: How many events there were when it was decided that pressure is over. If another one comes
    ///   meanwhile, on another thread, it is not.
    private func pressureDidEnd(after last: UInt64) {
        ownLoadLimiter.pressureDidEnd()
        if events != last { ownLoadLimiter.pressureDidBegin() }
        for responder in responders() {
            guard events == last else { return }
            responder.pressureDidEnd()
            // It may have been told before or after it was asked: it must not grow.
            if events != last { responder.reclaim(ReclaimDemand(level: .warning, bytes: 0), pacer: ReclaimPacer()) }
        }
    }

    /// The bytes that all responders could give back together, by their own count.
    package var releasableBytes: UInt64 {
        responders().reduce(0) { $0.addingSaturated(UInt64(max(0, $1.releasableCost))) }
    }

    // MARK: Hosts

    func join() -> UInt64 {
        state.withLock { $0.warnings.join() }
    }

    func leave(_ host: UInt64) {
        if let last = state.withLock({ $0.warnings.leave(host) ? $0.events : nil }) { pressureDidEnd(after: last) }
        state.withLock { $0.onHostChange }?()
    }

    func setRunning(_ isRunning: Bool, for host: UInt64) {
        state.withLock { $0.warnings.setRunning(isRunning, for: host) }
        state.withLock { $0.onHostChange }?()
    }

    /// Whether a host of the process runs, and so passes warnings on.
    var hasRunningHost: Bool { state.withLock { $0.warnings.hasRunningHost } }

    /// Has a closure called whenever that may have changed, on any thread.
    func onHostChange(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.onHostChange = body }
    }

    func settle(_ host: UInt64, at level: PressureLevel) {
        let last = state.withLock { $0.warnings.settle(host, at: level) ? $0.events : nil }
        if let last { pressureDidEnd(after: last) }
    }

    func releasableBytes(for host: UInt64) -> UInt64 {
        state.withLock { $0.warnings.isSpeaker(host) } ? releasableBytes : 0
    }

    func reclaim(
        for request: ReclaimRequest,
        from host: UInt64,
        alreadyReleased: UInt64,
        patience: Duration?
    ) -> UInt64 {
        let part = state.withLock { $0.warnings.hear(request, from: host, released: alreadyReleased) }
        guard part != .nothing else { return 0 }
        let dropped = reclaim(part, at: request.level, patience)
        state.withLock { $0.warnings.didGive(dropped, for: part, in: request.round) }
        return dropped
    }

    /// Has something done on the one thread that is there for it, after all that was asked for before.
    func perform(_ work: @escaping @Sendable () -> Void) {
        thread.perform(work)
    }
}
