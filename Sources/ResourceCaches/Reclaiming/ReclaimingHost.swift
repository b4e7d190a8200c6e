package import MemoryPressure

/// A host as the ``Reclaimer`` knows it, for as long as this object lives; used by one isolation, referenced by any.
package final class ReclaimingHost: Sendable {
    /// The outcome of one warning.
    package struct Outcome: Sendable {
        /// The bytes that caches dropped for this host, by their own count.
        package var droppedBytes: UInt64
        /// The resident set after that and after the allocator's return of free pages.
        package var residentBytes: UInt64
    }

    /// The reclaimer that receives the host's warnings, and the host's number there.
    private struct Home {
        let reclaimer: Reclaimer
        let id: UInt64
        var isRunning = false
        /// The socket of the daemon that the host is registered with.
        var daemon: String?

        init(_ reclaimer: Reclaimer) {
            self.reclaimer = reclaimer
            id = reclaimer.join()
        }
    }

    private let place: Guarded<Home>

    /// Creates a host at the level `normal` that does not run.
    package init(_ reclaimer: Reclaimer) {
        place = Guarded(Home(reclaimer))
    }

    deinit {
        let home = home
        home.reclaimer.leave(home.id)
    }

    /// Follows the responders, if their reclaimer has transferred them to another.
    private var home: Home {
        let present = place.withLock { $0 }
        guard let successor = present.reclaimer.successor else { return present }
        var next = Home(successor)
        (next.isRunning, next.daemon) = (present.isRunning, present.daemon)
        let isFirst = place.withLock { place in
            guard place.reclaimer === present.reclaimer else { return false }
            place = next
            return true
        }
        if isFirst {
            if next.isRunning { successor.setRunning(true, for: next.id) }
            if let daemon = next.daemon { successor.setDaemon(daemon, for: next.id) }
        } else {
            successor.leave(next.id)
        }
        return self.home
    }

    /// Makes the caches give back this host's part of a warning and the allocator return free pages, and measures the
    /// result.
    ///
    /// Blocks for as long as the values' destructors and the allocator's walk over its heap take. Does not wait for
    /// another thread that shrinks the caches for the same warning: this thread frees the bytes wanted beyond that
    /// thread's part at the same time.
    ///
    /// - Parameters:
    ///   - request: The request, of a raised level.
    ///   - released: The bytes that the host's controllers gave for it.
    ///   - patience: How long it also blocks for asynchronous responders. By default not at all: they may need the
    ///     thread of the caller's actor.
    /// - Returns: The outcome.
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

    /// Like ``reclaim(for:alreadyReleased:patience:)``, on the reclaimer's thread, while the caller is suspended; waits
    /// for asynchronous responders.
    ///
    /// It runs after the requests of other hosts. If the process may not have another thread, it runs on the caller's.
    /// If the allocator keeps pages by thread, the caller's thread collects its own in between.
    package nonisolated(nonsending) func reclaimElsewhere(
        for request: ReclaimRequest,
        alreadyReleased released: UInt64
    ) async -> Outcome {
        let outcome = await elsewhere {
            self.reclaim(for: request, alreadyReleased: released, patience: request.level.patienceForActors)
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

    /// Empties the caches that end in a call, and returns the freed bytes; see ``Reclaimer/release(endingIn:)``.
    package func release(endingIn body: () -> Void) -> Int {
        home.reclaimer.release(endingIn: body)
    }

    /// Makes the allocator return free pages, and measures the resident set.
    private static func measure(dropped: UInt64) -> Outcome {
        ProcessMemory.trimAllocator()
        return Outcome(droppedBytes: dropped, residentBytes: ProcessMemory.residentBytes())
    }

    /// Sets the raised level of the host before a delivery, so that pressure does not end during its callbacks.
    package func rise(to level: PressureLevel) {
        let home = home
        home.reclaimer.rise(home.id, to: level)
    }

    /// Sets the level of the host after a delivery.
    ///
    /// Pressure ends when all hosts of the process are at normal.
    package func settle(at level: PressureLevel) {
        let home = home
        home.reclaimer.settle(home.id, at: level)
    }

    /// Sets whether the host runs, and so reports to the daemon.
    package func setRunning(_ isRunning: Bool) {
        place.withLock { $0.isRunning = isRunning }
        let home = home
        home.reclaimer.setRunning(isRunning, for: home.id)
    }

    /// Sets the daemon that the host is registered with, by its socket, at each registration; `nil` if there is none.
    package func setDaemon(_ daemon: String?) {
        place.withLock { $0.daemon = daemon }
        let home = home
        home.reclaimer.setDaemon(daemon, for: home.id)
    }

    /// Records the fall of the process's resident set during a delivery of this host, and returns the size from which it
    /// reports the fall to the daemon: without the part that another host of the process reports in the same round.
    package func reportFall(from before: UInt64, to after: UInt64, in round: UInt64) -> UInt64 {
        let home = home
        return home.reclaimer.reportFall(from: before, to: after, of: home.id, in: round)
    }

    /// The bytes that all caches could give back, by their own count, if this host reports them; otherwise 0.
    ///
    /// One host of the process reports them: the oldest running one, or the oldest if none runs.
    package var releasableBytes: UInt64 {
        let home = home
        return home.reclaimer.releasableBytes(for: home.id)
    }
}
