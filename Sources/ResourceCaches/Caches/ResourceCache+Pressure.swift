internal import MemoryPressure

extension ResourceCache: Reclaimable {
    /// What leaves under one hold of the lock at most, so that changes of others wait for microseconds.
    private static var mostEntriesAtOnce: Int { 1024 }

    package var releasableCost: Int {
        withLock { $0.pointee.queues.releasable.cost }
    }

    package func reclaimSpare(upTo bytes: Int, pacer: ReclaimPacer) {
        var rest = bytes
        var steps = withLock { $0.pointee.sweep.isNeeded ? $0.pointee.slab.reach : 0 }
        while steps > 0, rest > 0 {
            let batch = min(steps, Self.mostEntriesAtOnce)
            steps -= batch
            rest -= drop(pacer) { removeExpired(steps: batch) }
        }
        var isOver = false
        while rest > 0, !isOver {
            rest -= drop(pacer) { removePrefetched(upTo: min(rest, ReclaimPacer.batchBytes), isOver: &isOver) }
        }
    }

    package func reclaim(_ demand: ReclaimDemand, pacer: ReclaimPacer) {
        var quota = makeQuota(for: demand)
        while quota.isOpen {
            drop(pacer) { removeNext(&quota) }
        }
        view.pointee.lock()
        // Not before: while entries leave others come, and would have as many leave once more. What others hold is still
        // there, and may stay.
        let kept = min(quota.before, max(quota.kept, core.pointee.cost))
        core.pointee.limits.shrink(to: kept, from: quota.before)
        if kept < quota.before { core.pointee.queues.noteLoweredLimit() }
        // Not the ghosts: those who left now are those who come back.
        core.pointee.table.shrink(retiring: &core.pointee.limbo)
        finish(draining: true)
    }

    package func pressureDidEnd() {
        view.pointee.lock()
        core.pointee.limits.recover(at: view.pointee.clock)
        view.pointee.unlock()
    }

    /// Runs one step under the lock, ends what has left by it, and tells the pacer.
    @discardableResult
    private func drop(_ pacer: ReclaimPacer, _ step: () -> Int) -> Int {
        view.pointee.lock()
        let bytes = step()
        finish(draining: true)
        pacer.didDrop(bytes)
        return bytes
    }

    /// How much is to leave; by number if the values cost nothing.
    private func makeQuota(for demand: ReclaimDemand) -> ReclaimQuota {
        // The service's own code, which may use the cache.
        let share = options.keptShare.map { max(0, min(1, $0(demand.level))) } ?? demand.level.keptShare
        view.pointee.lock()
        defer { view.pointee.unlock() }
        func excess(of amount: Int) -> Int { amount - Int(Double(amount) * share) }
        let cost = core.pointee.cost
        let before = cost + demand.given
        let bytes = min(cost, demand.bytes ?? max(0, excess(of: before) - demand.given))
        let entries = before == 0 && demand.bytes == nil ? excess(of: core.pointee.table.count) : 0
        return ReclaimQuota(
            before: before,
            kept: cost - bytes,
            bytes: bytes,
            entries: entries,
            steps: core.pointee.queues.releasable.count
        )
    }

    private func removeNext(_ quota: inout ReclaimQuota) -> Int {
        var removed = 0
        for _ in 0..<Self.mostEntriesAtOnce {
            guard quota.isOpen, removed < ReclaimPacer.batchBytes else { break }
            guard let entry = core.pointee.queues.takeForShortage(in: view) else {
                quota.close()
                break
            }
            quota.steps -= 1
            // To drop it would free nothing, and the next load would make another one.
            if isHeldElsewhere(entry) {
                core.pointee.requeue(entry, .offScreen)
                continue
            }
            let bytes = view.pointee.bytes(of: entry)
            quota.take(bytes)
            removed += bytes
            leave(entry, because: .pressure)
        }
        return removed
    }

    private func removePrefetched(upTo bytes: Int, isOver: inout Bool) -> Int {
        var removed = 0
        for _ in 0..<Self.mostEntriesAtOnce {
            guard removed < bytes else { break }
            guard let entry = core.pointee.queues.takePrefetched(in: view) else {
                isOver = true
                break
            }
            removed += view.pointee.bytes(of: entry)
            leave(entry, because: .pressure)
        }
        return removed
    }

    /// Whether the cache is not the only one that has an entry's value; can be told of objects only.
    ///
    /// A moment's truth: a reader may have it just now, or take it right after.
    private func isHeldElsewhere(_ entry: UInt32) -> Bool {
        guard Value.self is any AnyObject.Type else { return false }
        // The count is at the same place in all objects; asked of an `AnyObject`, it includes the question's own reference.
        return value(of: entry).withMemoryRebound(to: SomeObject.self, capacity: 1) { value in
            !isKnownUniquelyReferenced(&value.pointee)
        }
    }
}

private final class SomeObject {}

/// What is still to leave a cache in one event.
private struct ReclaimQuota {
    /// The cost that the cache had when the event came, and what is to stay of it.
    let before: Int
    let kept: Int
    private(set) var bytes: Int
    private(set) var entries: Int
    /// How many entries to look at yet, so that those that others hold come round once.
    var steps: Int

    init(before: Int, kept: Int, bytes: Int, entries: Int, steps: Int) {
        (self.before, self.kept) = (before, kept)
        (self.bytes, self.entries, self.steps) = (bytes, entries, steps)
    }

    var isOpen: Bool { (bytes > 0 || entries > 0) && steps > 0 }

    mutating func take(_ cost: Int) {
        bytes -= cost
        entries -= 1
    }

    mutating func close() {
        steps = 0
    }
}
