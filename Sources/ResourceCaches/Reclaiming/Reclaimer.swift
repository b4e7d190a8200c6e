internal import MemoryPressure

/// Passes warnings to the process's caches, whichever host receives them.
///
/// Caches belong to no isolation and hosts to several, so this class connects them. Each host has its own
/// ``ReclaimingHost``; ``SharedWarnings`` decides which part of one host's warning applies to the caches.
package final class Reclaimer: Sendable {
    /// The reclaimer of the process.
    package static let shared = Reclaimer(loadLimiter: .shared)

    private let ownLoadLimiter: LoadLimiter
    /// The clock of caches without a clock of their own.
    let clock: CacheClock
    /// The weak references of its caches.
    let weakReferences = WeakReferences()

    /// Returns the responder for a round, or for no round, if it is alive.
    typealias Member = @Sendable (AsyncAnswers?) -> (any ReclaimResponder)?

    private struct State {
        /// In order of creation.
        var members = GroupedList<Member>()
        var sweepThreshold = 32
        var warnings = SharedWarnings()
        var rises = Rises()
        /// How often responders were asked to give memory back.
        var events: UInt64 = 0
        /// The events after which the end of pressure was decided.
        var ended: UInt64 = 0
        /// The reclaimer with which responders register once this one has ended.
        var successor: Reclaimer?
        /// The record of the rounds under way, which keep it.
        weak var held: HeldMemory?
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

    /// The limiter of loads after pressure; active from each event on until the dropped values had time to return.
    package var loadLimiter: LoadLimiter { successor?.loadLimiter ?? ownLoadLimiter }

    /// The reclaimer that took over everything, once this one has ended.
    var successor: Reclaimer? { state.withLock { $0.successor } }

    // MARK: Responders

    /// Adds a responder, which is not kept alive; amortised O(1), because dead ones are removed each time the list has
    /// doubled.
    package func register(_ responder: some AnyObject & ReclaimResponder) {
        register { [weak responder] _ in responder }
    }

    /// Adds a closure that returns a responder.
    func register(_ member: @escaping Member) {
        let (swept, successor) = state.withLock { state -> (GroupedList<Member>?, Reclaimer?) in
            if let successor = state.successor { return (nil, successor) }
            state.members.append(member)
            guard state.members.count > state.sweepThreshold else { return (nil, nil) }
            // Until the end of this sweep there is no other.
            state.sweepThreshold = .max
            return (state.members, nil)
        }
        if let swept { sweep(swept) }
        successor?.register(member)
    }

    /// Removes the dead ones of the first members, without the lock: the check may be left with a responder's last
    /// reference.
    private func sweep(_ members: GroupedList<Member>) {
        let living = GroupedList(members.lazy.filter { $0(nil) != nil })
        state.withLock { state in
            // It may have ended in the meantime, and has no members then.
            guard state.successor == nil else { return }
            state.members.replace(members, with: living)
            state.sweepThreshold = max(32, state.members.count * 2)
        }
    }

    /// Ends pressure and the limit of loads for good, and transfers the living responders, and all later ones, to
    /// another reclaimer.
    func end(leavingAllTo successor: Reclaimer) {
        pressureDidEnd()
        ownLoadLimiter.stop()
        let members = state.withLock { state in
            state.successor = successor
            defer { state.members = GroupedList() }
            return state.members
        }
        for member in members where member(nil) != nil { successor.register(member) }
    }

    /// The living responders, in order of creation.
    ///
    /// Each is kept alive only for its own step of an iteration: it may be a value of a cache, which counts a value
    /// with another reference as in use.
    private var responders: some Sequence<any ReclaimResponder> {
        state.withLock { $0.members }.lazy.compactMap { $0(nil) }
    }

    /// Asks all responders for memory, regardless of earlier requests, and returns the number of bytes that they gave.
    ///
    /// Without ``ReclaimRequest/bytesWanted`` each keeps the level's share of its bytes: spare bytes of all responders
    /// go first, then the rest. Shares of repeated events multiply. With a number, the responders give that many bytes
    /// together, in proportion to their releasable bytes; at critical never less than without a number.
    ///
    /// Synchronous: the calling thread destroys the values, in batches, and freed pages return to the kernel in
    /// between.
    ///
    /// - Parameters:
    ///   - request: The request; for the level `normal` it calls ``pressureDidEnd()``.
    ///   - alreadyReleased: The bytes that controllers released in the same delivery, which count towards the bytes
    ///     wanted.
    ///   - patience: How long to block for asynchronous responders, each time that they are asked. Without patience
    ///     they are also asked for their part, but the result does not include it.
    /// - Returns: The dropped bytes, by the responders' own count.
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
        return reclaim(.level(bytes: wanted == 0 ? nil : missing), of: request, patience)
    }

    /// The record of shared objects for a round that begins.
    private var held: HeldMemory {
        let new = HeldMemory()
        return state.withLock { state in
            if let held = state.held { return held }
            state.held = new
            return new
        }
    }

    private func reclaim(_ part: SharedWarnings.Part, of request: ReclaimRequest, _ patience: Duration?) -> UInt64 {
        let rise = state.withLock { state in
            state.events += 1
            return state.rises.number(for: request)
        }
        // This precedes the first drop, because loads of dropped values may begin at once.
        ownLoadLimiter.pressureDidBegin()
        let pacer = ReclaimPacer(held: held)
        let answers = AsyncAnswers(patience: patience)
        let members = state.withLock { $0.members }
        func round(at level: PressureLevel) -> ReclaimRound {
            ReclaimRound(
                level: level,
                rise: rise,
                members: members,
                pacer: pacer,
                answers: answers
            )
        }
        switch part {
        case .nothing: break
        case .level(let bytes): round(at: request.level).reclaim(target: bytes.map { Int(clamping: $0) })
        // The level's rule has been applied already, so even at critical only the bytes are wanted, as at a warning.
        case .bytes(let bytes): round(at: .warning).reclaim(target: Int(clamping: bytes))
        }
        if pacer.hasLetGo { for member in members { member(answers)?.sharedObjectsDidEnd() } }
        // A reclaimer that has ended in the meantime will not report the end of pressure: it has transferred its
        // responders to another.
        if successor != nil { for member in members { member(answers)?.pressureDidEnd() } }
        return UInt64(max(0, pacer.droppedBytes))
    }

    /// Empties the caches that end in a call, because `body` drops the last other reference to them.
    ///
    /// They would end in it anyway, but could not count which of their values are in use elsewhere. Objects of a
    /// service that give memory back are not emptied.
    ///
    /// - Returns: The freed bytes, by the caches' own count.
    func release(endingIn body: () -> Void) -> Int {
        var caches = responders.filter { type(of: $0) is AnyClass }.map { $0 as AnyObject }
        body()
        let pacer = ReclaimPacer(held: held)
        let references = SoleReference<AnyObject>.ofObjects
        for index in caches.indices where !references.isShared(&caches[index]) {
            guard let cache = caches[index] as? any ReclaimResponder else { continue }
            cache.reclaim(ReclaimDemand(level: .critical, bytes: cache.releasableCost), pacer: pacer)
        }
        pacer.settle()
        return pacer.droppedBytes
    }

    /// Tells all responders that they may grow again; a repeated call has no effect.
    package func pressureDidEnd() {
        pressureDidEnd(after: events)
    }

    private var events: UInt64 { state.withLock { $0.events } }

    /// - Parameter last: The number of events at the time when the end of pressure was decided. If another thread adds
    ///   an event in the meantime, pressure is not over.
    private func pressureDidEnd(after last: UInt64) {
        state.withLock { state in
            state.ended = max(state.ended, last)
            if state.events == last { state.rises.fall(to: .normal) }
        }
        settle(after: last, tellingEnd: ownLoadLimiter.pressureDidEnd, otherwise: ownLoadLimiter.pressureDidBegin)
        for responder in responders {
            guard events == last else { return }
            settle(after: last) {
                responder.pressureDidEnd()
            } otherwise: {
                // The responder must not grow.
                responder.reclaim(ReclaimDemand(level: .warning, bytes: 0), pacer: ReclaimPacer())
            }
        }
    }

    /// Tells one object the end of pressure, and again what holds at present if there was a new event in the meantime: the
    /// object may have been told of that event before or after the end.
    ///
    /// The new pressure may be over by then: its end may have been told before this.
    private func settle(after last: UInt64, tellingEnd: () -> Void, otherwise tellingPressure: () -> Void) {
        var last = last
        while true {
            tellingEnd()
            guard events != last else { return }
            tellingPressure()
            let (events, isOver) = state.withLock { ($0.events, $0.ended == $0.events) }
            // Otherwise the end of the new pressure is told after this.
            guard isOver else { return }
            last = events
        }
    }

    /// The bytes that all responders could give back together, by their own count.
    package var releasableBytes: UInt64 {
        responders.reduce(0) { $0.addingSaturated(UInt64(max(0, $1.releasableCost))) }
    }

    // MARK: Hosts

    func join() -> UInt64 {
        state.withLock { $0.warnings.join() }
    }

    func leave(_ host: UInt64) {
        changeLevels { $0.leave(host) }
        state.withLock { $0.onHostChange }?()
    }

    func setRunning(_ isRunning: Bool, for host: UInt64) {
        state.withLock { $0.warnings.setRunning(isRunning, for: host) }
        state.withLock { $0.onHostChange }?()
    }

    func setDaemon(_ daemon: String?, for host: UInt64) {
        state.withLock { $0.warnings.setDaemon(daemon, for: host) }
    }

    /// Whether a host of the process runs, and so passes warnings.
    var hasRunningHost: Bool { state.withLock { $0.warnings.hasRunningHost } }

    /// Sets a closure that is called, on any thread, whenever that may have changed.
    func onHostChange(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.onHostChange = body }
    }

    func rise(_ host: UInt64, to level: PressureLevel) {
        state.withLock { $0.warnings.rise(host, to: level) }
    }

    func settle(_ host: UInt64, at level: PressureLevel) {
        changeLevels { $0.settle(host, at: level) }
    }

    /// Changes hosts' levels with a closure that returns whether pressure ends with that.
    private func changeLevels(_ change: (inout SharedWarnings) -> Bool) {
        let last = state.withLock { state -> UInt64? in
            if change(&state.warnings) { return state.events }
            state.rises.fall(to: state.warnings.level)
            return nil
        }
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
        let part = state.withLock { $0.warnings.record(request, from: host, released: alreadyReleased) }
        guard part != .nothing else { return 0 }
        let dropped = reclaim(part, of: request, patience)
        state.withLock { $0.warnings.didGive(dropped, for: part, of: host, in: request.round) }
        return dropped
    }

    func reportFall(from before: UInt64, to after: UInt64, of host: UInt64, in round: UInt64) -> UInt64 {
        state.withLock { $0.warnings.reportFall(from: before, to: after, of: host, in: round) }
    }

    /// Runs work on the reclaimer's thread, after all earlier work.
    func perform(_ work: @escaping @Sendable () -> Void) {
        thread.perform(work)
    }
}
