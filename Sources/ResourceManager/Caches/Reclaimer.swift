package import MemoryPressure
internal import Synchronization

/// Something in a process that gives memory back without any controller.
package protocol Reclaimable: AnyObject, Sendable {
    /// Gives back what the level asks for, and returns the bytes by its own count. Called on any thread.
    func reclaim(for level: PressureLevel) -> Int
    /// The bytes it holds that could be given back, by its own count. Called on any thread.
    var totalCost: Int { get }
}

/// Passes warnings on to the process's caches, whichever host hears of them.
///
/// Caches belong to no isolation and hosts to several, so this stands between them. Several hosts in a process hear the
/// same round of a daemon; only the first of them has the caches shrink for it.
package final class Reclaimer: Sendable {
    package static let shared = Reclaimer()

    private struct Responder {
        weak var object: (any Reclaimable)?
    }

    private struct State {
        /// In order of creation.
        var responders: [Responder] = []
        var sweepThreshold = 32
        var lastRound: UInt64 = 0
    }

    private let state = Mutex(State())

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

    /// Has all responders give back what the warning asks for, and returns how many bytes they did.
    ///
    /// 0 if the warning's round is the last one that was answered; that call does not wait for the other to finish.
    func reclaim(for warning: MemoryWarning) -> UInt64 {
        let responders = state.withLock { state -> [any Reclaimable] in
            guard warning.round == 0 || warning.round != state.lastRound else { return [] }
            if warning.round != 0 { state.lastRound = warning.round }
            return state.responders.compactMap(\.object)
        }
        return responders.reduce(0) { $0 + UInt64($1.reclaim(for: warning.level)) }
    }

    /// The bytes that all responders hold together, by their own count.
    var releasableBytes: UInt64 {
        let responders = state.withLock { $0.responders.compactMap(\.object) }
        return responders.reduce(0) { $0 + UInt64($1.totalCost) }
    }

    /// Takes the next round for a new one, whatever its number: it comes from another daemon.
    func forgetRounds() {
        state.withLock { $0.lastRound = 0 }
    }
}
