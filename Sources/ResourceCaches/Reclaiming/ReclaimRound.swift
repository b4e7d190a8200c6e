internal import MemoryPressure

/// One event for all responders: the bytes wanted of each, and the order.
struct ReclaimRound {
    let level: PressureLevel
    let rise: UInt64
    /// Return the responders, in order of creation, as long as they live.
    ///
    /// The round keeps a responder alive only while it calls it: one may be a value of a cache, which counts a value
    /// with another reference as in use. So an earlier responder may also destroy a later one.
    let members: GroupedList<Reclaimer.Member>
    let pacer: ReclaimPacer
    let answers: AsyncAnswers

    /// The bytes that have left so far, plus those that asynchronous responders still have to give.
    ///
    /// It includes bytes in responders' own memory that has not returned yet: otherwise they would be asked for twice.
    private var given: Int { pacer.leftBytes.addingSaturated(answers.promisedBytes) }

    /// Asks each responder for the level's share, and all together for at least `target` bytes, if they have them.
    ///
    /// At a warning the target replaces the level's rule, since its sender knows how much is needed. At critical it
    /// only adds to the rule: otherwise the kernel may free the rest by killing the process.
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
            let spares = reclaimSpare { _, _ in target - given }
            divide(max(0, target - given), after: spares)
        }
        settle()
        // Some responders may not have been able to give their part.
        if given < target { divide(target - given) }
    }

    /// Counts the bytes that asynchronous responders gave, and shared objects that are free by now.
    private func settle() {
        pacer.didDrop(answers.collect())
        pacer.settle()
    }

    /// Spare bytes come first; they count towards the level's share of the same responder.
    private func reclaimByLevel() {
        let shares = members.map { $0(answers)?.excess(at: level) ?? 0 }
        let spares = reclaimSpare { index, taken in shares[index] - taken }
        for (member, spare) in zip(members, spares) {
            member(answers)?.reclaim(ReclaimDemand(level: level, given: spare, rise: rise), pacer: pacer)
        }
    }

    /// Takes spare bytes: expired values of all responders, then prefetched ones.
    ///
    /// - Parameter most: Returns the bytes that a responder may give at its turn, from its place among the members and the
    ///   spare bytes that it has given.
    /// - Returns: The bytes that each responder gave.
    private func reclaimSpare(upTo most: (Int, Int) -> Int) -> [Int] {
        var spares = members.map { _ in 0 }
        for kind in SpareKind.allCases {
            for (index, member) in members.enumerated() {
                let bytes = most(index, spares[index])
                guard bytes > 0, let responder = member(answers) else { continue }
                let before = given
                responder.reclaimSpare(kind, upTo: bytes, pacer: pacer)
                // An asynchronous responder may have given less meanwhile than it had promised.
                spares[index] += max(0, given - before)
            }
        }
        return spares
    }

    /// Asks each responder for its part of the bytes, in proportion to its releasable bytes.
    ///
    /// Each part is computed from the bytes still wanted at its turn, so later responders compensate for earlier ones
    /// that gave more or less than their part.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - spares: The bytes that each responder has already given, if this is the first division: then it asks also
    ///     responders without a part, because none of them may grow.
    private func divide(_ bytes: Int, after spares: [Int]? = nil) {
        let offers = members.map { max(0, $0(answers)?.releasableCost ?? 0) }
        var offered = offers.reduce(0) { $0.addingSaturated($1) }
        var wanted = bytes
        for (index, (member, offer)) in zip(members, offers).enumerated() {
            let part = Self.part(of: wanted, for: offer, of: max(offered, offer))
            offered = max(0, offered - offer)
            guard part > 0 || spares != nil, let responder = member(answers) else { continue }
            let before = given
            let demand = ReclaimDemand(level: level, bytes: part, given: spares?[index] ?? 0, rise: rise)
            responder.reclaim(demand, pacer: pacer)
            wanted = max(0, wanted - (given - before))
        }
    }

    /// `bytes · offer / offered`, rounded up.
    private static func part(of bytes: Int, for offer: Int, of offered: Int) -> Int {
        guard offer > 0 else { return 0 }
        // The quotient fits, because an offer is at most the total.
        let (quotient, remainder) = offered.dividingFullWidth(bytes.multipliedFullWidth(by: offer))
        return remainder > 0 ? quotient + 1 : quotient
    }
}
