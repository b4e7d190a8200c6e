public import MemoryPressure
internal import ResourceCaches

extension ControllerHost {
    /// Tells all parts of the host about a warning, and returns what they gave back.
    ///
    /// | the warning | what happens |
    /// | --- | --- |
    /// | raises ``level`` | a broadcast, then the level handlers |
    /// | says that it repeats the present level, or is a round of a daemon at it | a broadcast |
    /// | lowers the level | the level handlers |
    /// | is simulated, and not normal | a broadcast |
    /// | anything else | nothing |
    ///
    /// A broadcast goes to: the delegate; the controllers alive when it began, in order of creation, each finished
    /// before the next; the backings of views off window, which are discarded; the observers; the process's caches in
    /// order of creation, and the allocator returns their pages to the kernel step by step. Then, once more, it returns
    /// all that are free, and the outcome is measured, before the level handlers are called.
    ///
    /// **It blocks**: synchronous, in the host's isolation, it takes as long as what it calls, plus the destructors of what
    /// caches drop and the allocator's walk over the heap (microseconds when small, some hundred milliseconds for
    /// gigabytes). ``run()`` has caches and allocator at work on another thread meanwhile.
    ///
    /// **Called inside a delivery** it only takes note and returns ``MemoryRelease/none``. All that is asked for in
    /// this way causes one further broadcast (the most urgent one) right after the first, and its release is part of
    /// the first one's; what is asked for during that one is dropped (rule 4.22). A changed level is never lost.
    ///
    /// **Called while ``run()`` waits for caches to shrink** on the other thread, it is not inside that delivery, whose
    /// callbacks have returned: it is one of its own, complete when it returns. The other one then ends with its level
    /// handlers, if the level is still to be announced, and its outcome.
    ///
    /// **Several hosts in a process** share its caches, which shrink once for a warning that all of them pass on: once for
    /// a round of a daemon, by its number, and once for what comes without one. They give what the hosts are asked for
    /// together, and a host counts as released what they gave for it. Two hosts may deliver on two threads at once: neither
    /// waits for the other.
    ///
    /// - Returns: What was released, by caches too; ``MemoryRelease/none`` if there was no broadcast.
    @discardableResult
    public func deliver(
        _ warning: MemoryWarning,
        isolation: isolated (any Actor)? = #isolation
    ) -> MemoryRelease {
        let resident = ProcessMemory.residentBytes()
        guard var delivery = begin(warning, residentBefore: resident, isolation: isolation) else { return .none }
        repeat {
            if delivery.isBroadcast {
                _ = askAsyncDelegate(in: delivery)
                tell(&delivery)
                _ = delivery.beginCalls()
                delivery.count(reclaim(in: &delivery))
            }
            announceLevel(in: &delivery)
            _ = delivery.beginCalls()
        } while delivery.beginFollowUp()
        let release = finish(delivery)
        _ = informAsyncDelegate(of: release, in: delivery)
        return release
    }

    /// As ``deliver(_:isolation:)``, and leaves the actor to others while caches shrink on the reclaimer's thread.
    ///
    /// `residentBefore` is how large the resident set is now; it is read if the delivery begins.
    package nonisolated(nonsending) func deliverWithoutBlocking(
        _ warning: MemoryWarning,
        residentBefore: @autoclosure () -> UInt64 = ProcessMemory.residentBytes()
    ) async -> MemoryRelease {
        guard var delivery = begin(warning, residentBefore: residentBefore(), isolation: #isolation) else {
            return .none
        }
        repeat {
            if delivery.isBroadcast {
                _ = await askAsyncDelegate(in: delivery)?.released()
                tell(&delivery)
                if let answers = delivery.beginCalls() { delivery.count(UInt64(await answers.released())) }
                let released = delivery.released
                delivery.count(await reclaiming.reclaimElsewhere(for: delivery.request, alreadyReleased: released))
            }
            announceLevel(in: &delivery)
            _ = delivery.beginCalls()
        } while delivery.beginFollowUp()
        let release = finish(delivery)
        _ = await informAsyncDelegate(of: release, in: delivery)?.released()
        return release
    }

    /// Makes a broadcast as if memory were short, to see what the service does and gives back.
    ///
    /// ``level`` stays as it is and the level handlers are not called; the next real change is reported as usual. A
    /// simulated `normal` does nothing. Otherwise like ``deliver(_:isolation:)``: it blocks, and caches that have shrunk for another
    /// host's simulation shrink again. It does not wait for an ``AsyncReclaimable``; a test scope's own
    /// warning does (<doc:TestScopes>).
    @discardableResult
    public func simulateMemoryWarning(
        _ level: PressureLevel = .warning,
        isolation: isolated (any Actor)? = #isolation
    ) -> MemoryRelease {
        deliver(MemoryWarning(level: level))
    }

    /// The bytes that could be given back now, by own count: view trees off window, their backings, and the process's
    /// caches.
    ///
    /// Of several hosts in a process one counts the caches: the oldest that runs, or the oldest if none does.
    ///
    /// What a controller would refuse to unload is counted all the same: it is an offer, not a promise. Walks the host's
    /// controllers, and loads nothing.
    public var releasableBytes: UInt64 {
        var views = 0
        controllers.visit { controller in
            // A view with a superview goes with its container's, which counts it.
            guard let view = controller.viewIfLoaded, view.superview == nil, view.window == nil else { return }
            views = views.addingSaturated(max(0, view.totalCost))
        }
        return UInt64(max(0, views)).addingSaturated(reclaiming.releasableBytes)
    }

    /// Takes the level over from a real warning, and tells whether the warning is to be broadcast.
    private func takeLevel(of warning: MemoryWarning) -> Bool {
        let isUrgent = warning.level > .normal
        guard !warning.isSimulated else { return isUrgent }
        defer { level = warning.level }
        // A daemon's round is a question, also if another scope has raised the level before.
        let isAsked = warning.isRepeat || warning.round != 0
        return isUrgent && (warning.level > level || warning.level == level && isAsked)
    }

    /// Begins a delivery; `nil` if there is nothing to say, or if it is noted in the one under way.
    private func begin(
        _ warning: MemoryWarning,
        residentBefore: @autoclosure () -> UInt64,
        isolation: (any Actor)?
    ) -> Delivery? {
        let asksForBroadcast = takeLevel(of: warning)
        guard delivery == nil else {
            if asksForBroadcast { delivery?.note(warning) }
            return nil
        }
        guard asksForBroadcast || level != announcedLevel else {
            // What a simulation made smaller.
            if warning.level == .normal, level == .normal { recoverControllers() }
            return nil
        }
        return Delivery(
            warning,
            isBroadcast: asksForBroadcast,
            residentBefore: residentBefore(),
            isolation: isolation
        )
    }

    /// Rule 4.3, up to the observers.
    private func tell(_ delivery: inout Delivery) {
        during(&delivery) {
            let warning = $0
            delegate?.controllerHost(self, didReceiveMemoryWarning: warning)
            warnControllers()
            discardVolatileBackings()
            post(warning)
        }
    }

    private func reclaim(in delivery: inout Delivery) -> ReclaimingHost.Outcome {
        // A destructor that asks for a broadcast is inside this one.
        during(&delivery) { [request = delivery.request, released = delivery.released] _ in
            reclaiming.reclaim(for: request, alreadyReleased: released)
        }
    }

    private func announceLevel(in delivery: inout Delivery) {
        during(&delivery) { _ in
            guard level != announcedLevel else { return }
            announcedLevel = level
            if level == .normal { recoverControllers() }
            levelHandlers.callAll(level)
        }
    }

    /// Calls what may call back: what it gives up counts, and what it asks for is noted.
    private func during<Result>(_ delivery: inout Delivery, _ body: (MemoryWarning) -> Result) -> Result {
        self.delivery = delivery
        defer { if let continued = self.delivery.take() { delivery = continued } }
        return body(delivery.warning)
    }

    private func finish(_ delivery: Delivery) -> MemoryRelease {
        // After a simulation too: no message will ever say that it is over.
        reclaiming.settle(at: level)
        guard let release = delivery.release else { return .none }
        delegate?.controllerHost(self, didRelease: release, for: delivery.first)
        post(FinishedDelivery(warning: delivery.first, release: release))
        return release
    }

    /// Ends what no message will say is over: warnings no longer come, and the process may live on.
    func endPressure(isolation: isolated (any Actor)? = #isolation) {
        guard level > .normal else { return }
        deliver(MemoryWarning(level: .normal, reason: PressureReason(.unknown), isSimulated: false))
    }

    /// Only those alive at the start, and none of them kept alive beyond its own turn (rule 4.4).
    private func warnControllers() {
        controllers.visit { controller in
            if options.delivery == .offWindowOnly, controller.viewIfLoaded?.window != nil { return }
            controller.announce(.didReceiveMemoryWarning)
            controller.didReceiveMemoryWarning()
            controller.degradeIfInService()
        }
    }

    private func recoverControllers() {
        controllers.visit { $0.recoverIfDegraded() }
    }

    func discardVolatileBackings() {
        backedViews.visit { view in
            if view.window == nil { count(released: view.discardBacking()) }
        }
        backedViews.keep { $0.backing != nil }
    }
}
