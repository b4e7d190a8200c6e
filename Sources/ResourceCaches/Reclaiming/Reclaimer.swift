internal import MemoryPressure

/// Passes warnings on to the process's caches, whichever host hears of them.
///
/// Caches belong to no isolation and hosts to several, so this stands between them. Each host has a ``ReclaimingHost`` of
/// its own; ``SharedWarnings`` says what a warning of one of several hosts asks of the caches.
package final class Reclaimer: Sendable {
    /// The process's own.
    package static let shared = Reclaimer(loadLimiter: .shared)

    /// What holds loads back after pressure; active from each event on until what it took has had time to come back.
    package let loadLimiter: LoadLimiter

    private struct Responder {
        weak var object: (any Reclaimable)?
    }

    private struct State {
        /// In order of creation.
        var responders: [Responder] = []
        var sweepThreshold = 32
        var warnings = SharedWarnings()
        /// How often responders were asked to give memory back.
        var events: UInt64 = 0
    }

    private let state = Guarded(State())
    private let thread = WorkThread()

    package init(loadLimiter: LoadLimiter = LoadLimiter()) {
        self.loadLimiter = loadLimiter
    }

    // MARK: Responders

    /// Adds a responder, which is not kept alive; amortised O(1), as the dead are swept each time the list has doubled.
    package func register(_ responder: any Reclaimable) {
        // What is looked at may lose its last other reference meanwhile; it must not end under the lock.
        let seen = state.withLock { state in
            var seen: [any Reclaimable] = []
            if state.responders.count >= state.sweepThreshold {
                state.responders.removeAll { responder in
                    guard let object = responder.object else { return true }
                    seen.append(object)
                    return false
                }
                state.sweepThreshold = max(32, state.responders.count * 2)
            }
            state.responders.append(Responder(object: responder))
            return seen
        }
        withExtendedLifetime(seen) {}
    }

    /// Those that are alive, in order of creation.
    private var responders: [any Reclaimable] { state.withLock { $0.responders.compactMap(\.object) } }

    /// Has all responders give back what is asked for, whatever they gave before, and returns how many bytes they
    /// did.
    ///
    /// Without ``ReclaimRequest/bytesWanted`` each keeps the level's share of what it holds: first what nobody would miss
    /// goes everywhere, then the rest. Repeated events multiply. With it, that many bytes go in all, in proportion to
    /// what each has; at critical never less than without.
    ///
    /// Synchronous: the values end on the calling thread, in batches, and freed pages return to the kernel meanwhile.
    ///
    /// - Parameters:
    ///   - request: What is asked for; back to normal is passed on as ``pressureDidEnd()``.
    ///   - alreadyReleased: What controllers gave up in the same delivery, which counts towards the bytes wanted.
    /// - Returns: The bytes that were dropped, by own count.
    @discardableResult
    package func reclaim(for request: ReclaimRequest, alreadyReleased: UInt64 = 0) -> UInt64 {
        guard request.level > .normal else {
            pressureDidEnd()
            return 0
        }
        let wanted = request.bytesWanted
        let missing = wanted - min(wanted, alreadyReleased)
        return reclaim(.level(bytes: wanted == 0 ? nil : missing), at: request.level)
    }

    private func reclaim(_ part: SharedWarnings.Part, at level: PressureLevel) -> UInt64 {
        state.withLock { $0.events += 1 }
        // Before anything is dropped, as loads for it may begin at once.
        loadLimiter.pressureDidBegin()
        let pacer = ReclaimPacer()
        switch part {
        case .nothing: break
        case .level(let bytes):
            ReclaimRound(level: level, responders: responders, pacer: pacer)
                .reclaim(target: bytes.map { Int(clamping: $0) })
        case .bytes(let bytes):
            // The rule has been followed, so that at critical, too, no more is asked for than at a warning.
            ReclaimRound(level: .warning, responders: responders, pacer: pacer).reclaim(target: Int(clamping: bytes))
        }
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
        loadLimiter.pressureDidEnd()
        if events != last { loadLimiter.pressureDidBegin() }
        for responder in responders {
            guard events == last else { return }
            responder.pressureDidEnd()
            // It may have been told before or after it was asked: it must not grow.
            if events != last { responder.reclaim(ReclaimDemand(level: .warning, bytes: 0), pacer: ReclaimPacer()) }
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
        if let last = state.withLock({ $0.warnings.leave(host) ? $0.events : nil }) { pressureDidEnd(after: last) }
    }

    func setRunning(_ isRunning: Bool, for host: UInt64) {
        state.withLock { $0.warnings.setRunning(isRunning, for: host) }
    }

    func settle(_ host: UInt64, at level: PressureLevel) {
        let last = state.withLock { $0.warnings.settle(host, at: level) ? $0.events : nil }
        if let last { pressureDidEnd(after: last) }
    }

    func releasableBytes(for host: UInt64) -> UInt64 {
        state.withLock { $0.warnings.isSpeaker(host) } ? releasableBytes : 0
    }

    func reclaim(for request: ReclaimRequest, from host: UInt64, alreadyReleased: UInt64) -> UInt64 {
        let part = state.withLock { $0.warnings.hear(request, from: host, released: alreadyReleased) }
        guard part != .nothing else { return 0 }
        let dropped = reclaim(part, at: request.level)
        state.withLock { $0.warnings.didGive(dropped, for: part, in: request.round) }
        return dropped
    }

    /// Has something done on the one thread that is there for it, after all that was asked for before.
    func perform(_ work: @escaping @Sendable () -> Void) {
        thread.perform(work)
    }
}
