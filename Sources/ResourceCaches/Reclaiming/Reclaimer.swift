internal import MemoryPressure
internal import Synchronization

/// Passes warnings on to the process's caches, whichever host hears of them.
///
/// Caches belong to no isolation and hosts to several, so this stands between them. Several hosts in a process hear the
/// same round of a daemon; only the first of them has the caches shrink for it.
///
/// Pressure is over as soon as the first of them says so. They are in the same cgroup, so a host that is told later, or
/// looks at another scope, hardly ever disagrees for long; if it does, its next warning makes the caches shrink at once.
/// To wait for all would be worse: caches would stay small for ever after a host that ended without a word.
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
        var lastRound: UInt64 = 0

        var alive: [any Reclaimable] { responders.compactMap(\.object) }
    }

    private let state = Mutex(State())

    package init(loadLimiter: LoadLimiter = LoadLimiter()) {
        self.loadLimiter = loadLimiter
    }

    /// Adds a responder, which is not kept alive; amortised O(1), as the dead are swept each time the list has doubled.
    package func register(_ responder: any Reclaimable) {
        state.withLock { state in
            if state.responders.count >= state.sweepThreshold {
                state.responders.removeAll { $0.object == nil }
                state.sweepThreshold = max(32, state.responders.count * 2)
            }
            state.responders.append(Responder(object: responder))
        }
    }

    /// Has all responders give back what is asked for, and returns how many bytes they did.
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
    /// - Returns: The bytes that were dropped, by own count; 0 if the request's round is the last one that was answered,
    ///   without waiting for whoever answers it.
    package func reclaim(for request: ReclaimRequest, alreadyReleased: UInt64 = 0) -> UInt64 {
        guard request.level > .normal else {
            pressureDidEnd()
            return 0
        }
        let responders = state.withLock { state -> [any Reclaimable]? in
            guard request.round == 0 || request.round != state.lastRound else { return nil }
            if request.round != 0 { state.lastRound = request.round }
            return state.alive
        }
        guard let responders else { return 0 }
        // Before anything is dropped, as loads for it may begin at once.
        loadLimiter.pressureDidBegin()
        let pacer = ReclaimPacer()
        let wanted = request.bytesWanted
        let target = wanted == 0 ? nil : Int(clamping: wanted > alreadyReleased ? wanted - alreadyReleased : 0)
        ReclaimRound(level: request.level, responders: responders, pacer: pacer).reclaim(target: target)
        return UInt64(max(0, pacer.droppedBytes))
    }

    /// Tells all responders that they may grow again; more than once is the same as once.
    package func pressureDidEnd() {
        loadLimiter.pressureDidEnd()
        for responder in state.withLock({ $0.alive }) { responder.pressureDidEnd() }
    }

    /// The bytes that all responders could give back together, by their own count.
    package var releasableBytes: UInt64 {
        state.withLock { $0.alive }.reduce(0) { $0.addingSaturated(UInt64(max(0, $1.releasableCost))) }
    }

    /// Takes the next round for a new one, whatever its number: it comes from another daemon.
    package func forgetRounds() {
        state.withLock { $0.lastRound = 0 }
    }
}
