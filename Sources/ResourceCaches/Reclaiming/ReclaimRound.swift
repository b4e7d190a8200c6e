internal import MemoryPressure

/// One event's way through the responders: how much each is asked for, in which order.
struct ReclaimRound {
    let level: PressureLevel
    let responders: [any ReclaimResponder]
    let pacer: ReclaimPacer
    let answers: AsyncAnswers

    /// What has been given so far, and what asynchronous responders have still to give.
    private var given: Int { pacer.droppedBytes.addingSaturated(answers.promisedBytes) }

    /// Has each give back what the level asks for, and at least `target` bytes in all, if they have them.
    ///
    /// At a warning the target takes the place of the level's rule, since its sender knows how much is needed. At
    /// critical it only adds to it: what is not given then may be taken by the kernel, together with the process.
    func reclaim(target: Int?) {
        reclaim(upTo: target)
        settle()
    }

    private func reclaim(upTo target: Int?) {
        guard let target else { return reclaimByLevel() }
        if level == .critical {
            reclaimByLevel()
            settle()
            if given < target { divide(target - given) }
        } else {
            for responder in responders where given < target {
                responder.reclaimSpare(upTo: target - given, pacer: pacer)
            }
            divide(max(0, target - given), asksAll: true)
        }
        settle()
        // Some may not have been able to give their part.
        if given < target { divide(target - given) }
    }

    /// Counts what asynchronous responders gave, and what others had a share of and is free by now.
    private func settle() {
        pacer.didDrop(answers.collect())
        pacer.settle()
    }

    /// Spare first, which counts towards what the level asks of the same responder.
    private func reclaimByLevel() {
        let spares = responders.map { responder in
            let cost = responder.releasableCost
            let share = cost - level.kept(of: cost)
            guard share > 0 else { return 0 }
            let before = pacer.leftBytes.addingSaturated(answers.promisedBytes)
            responder.reclaimSpare(upTo: share, pacer: pacer)
            return pacer.leftBytes.addingSaturated(answers.promisedBytes) - before
        }
        for (responder, spare) in zip(responders, spares) {
            responder.reclaim(ReclaimDemand(level: level, given: spare), pacer: pacer)
        }
    }

    /// Asks each for its part of the bytes, in proportion to what it could give.
    ///
    /// A part is that of what is still wanted when its turn comes, so those that come later make up for those that gave
    /// more or less than theirs.
    private func divide(_ bytes: Int, asksAll: Bool = false) {
        let offers = responders.map { max(0, $0.releasableCost) }
        var offered = offers.reduce(0) { $0.addingSaturated($1) }
        var wanted = bytes
        for (responder, offer) in zip(responders, offers) {
            let part = Self.part(of: wanted, for: offer, of: max(offered, offer))
            offered = max(0, offered - offer)
            guard part > 0 || asksAll else { continue }
            let before = given
            responder.reclaim(ReclaimDemand(level: level, bytes: part), pacer: pacer)
            wanted = max(0, wanted - (given - before))
        }
    }

    /// `bytes · offer / offered`, rounded up.
    private static func part(of bytes: Int, for offer: Int, of offered: Int) -> Int {
        guard offer > 0 else { return 0 }
        // Fits, as an offer is at most all that is offered.
        let (quotient, remainder) = offered.dividingFullWidth(bytes.multipliedFullWidth(by: offer))
        return remainder > 0 ? quotient + 1 : quotient
    }
}
