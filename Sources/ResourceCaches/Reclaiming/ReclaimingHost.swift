package import MemoryPressure

/// A host as the ``Reclaimer`` knows it, for as long as this object lives; used by one isolation, kept by any.
package final class ReclaimingHost: Sendable {
    /// What one warning brought.
    package struct Outcome: Sendable {
        /// The bytes that caches dropped for this host, by own count.
        package var droppedBytes: UInt64
        /// The resident set after that, and after the allocator had returned its free pages.
        package var residentBytes: UInt64
    }

    /// Where the host passes warnings on, and what it is known by there.
    private struct Home {
        let reclaimer: Reclaimer
        let id: UInt64
        var isRunning = false

        init(_ reclaimer: Reclaimer) {
            self.reclaimer = reclaimer
            id = reclaimer.join()
        }
    }

    private let place: Guarded<Home>

    /// A host at the level normal that does not run.
    package init(_ reclaimer: Reclaimer) {
        place = Guarded(Home(reclaimer))
    }

    deinit {
        let home = home
        home.reclaimer.leave(home.id)
    }

    /// Moves on with the responders, if their reclaimer has left them to another one.
    private var home: Home {
        let present = place.withLock { $0 }
        guard let successor = present.reclaimer.successor else { return present }
        var next = Home(successor)
        next.isRunning = present.isRunning
        let isFirst = place.withLock { place in
            guard place.reclaimer === present.reclaimer else { return false }
            place = next
            return true
        }
        if !isFirst { successor.leave(next.id) } else if next.isRunning { successor.setRunning(true, for: next.id) }
        return self.home
    }

    /// Has the caches give back what is this host's part of a warning, and the allocator return free pages; measures.
    ///
    /// Blocks for as long as the values' destructors and the allocator's walk over its heap take. Does not wait for
    /// another thread that has the caches shrink for the same warning: what is wanted beyond that one's part goes on
    /// this thread meanwhile.
    ///
    /// - Parameters:
    ///   - request: Of a raised level.
    ///   - released: What the host's controllers gave for it.
    ///   - patience: How long it blocks for asynchronous responders besides. By default not at all: they may need the
    ///     thread of the caller's actor.
    /// - Returns: What it brought.
    package func reclaim(
        for request: ReclaimRequest,
        alreadyReleased released: UInt64,
        patience: Duration? = nil
    ) -> Outcome {
        Allocator.current.withoutDelay {
            let home = home
            let dropped = home.reclaimer.reclaim(
                for: request,
                from: home.id,
                alreadyReleased: released,
                patience: patience
            )
            return Self.measure(dropped: dropped)
        }
    }

    /// As ``reclaim(for:alreadyReleased:patience:)``, on the reclaimer's thread, while the caller waits without its thread;
    /// waits for asynchronous responders.
    ///
    /// After what other hosts asked for before. If the process may not have another thread, it is done on the caller's.
    /// Where the allocator keeps pages by thread, the caller's collects its own in between.
    package nonisolated(nonsending) func reclaimElsewhere(
        for request: ReclaimRequest,
        alreadyReleased released: UInt64
    ) async -> Outcome {
        let outcome = await elsewhere {
            self.reclaim(for: request, alreadyReleased: released, patience: AsyncAnswers.patience)
        }
        guard Allocator.current.keepsPagesByThread else { return outcome }
        Allocator.current.collectOwn()
        return await elsewhere { Self.measure(dropped: outcome.droppedBytes) }
    }

    private nonisolated(nonsending) func elsewhere(_ work: @escaping @Sendable () -> Outcome) async -> Outcome {
        await withCheckedContinuation { continuation in
            home.reclaimer.perform { continuation.resume(returning: work()) }
        }
    }

    /// Has the allocator return what is free by now, and looks at what is left.
    private static func measure(dropped: UInt64) -> Outcome {
        ProcessMemory.trimAllocator()
        return Outcome(droppedBytes: dropped, residentBytes: ProcessMemory.residentBytes())
    }

    /// Says at which level the host is after a delivery.
    ///
    /// Pressure ends when all hosts of the process are at normal.
    package func settle(at level: PressureLevel) {
        let home = home
        home.reclaimer.settle(home.id, at: level)
    }

    /// Says whether the host runs, so that the daemon hears from it.
    package func setRunning(_ isRunning: Bool) {
        let home = home
        place.withLock { $0.isRunning = isRunning }
        home.reclaimer.setRunning(isRunning, for: home.id)
    }

    /// What all caches could give back, by their own count, if this is the host that says so; otherwise 0.
    ///
    /// One host of the process does: the oldest that runs, or the oldest if none does.
    package var releasableBytes: UInt64 {
        let home = home
        return home.reclaimer.releasableBytes(for: home.id)
    }
}
