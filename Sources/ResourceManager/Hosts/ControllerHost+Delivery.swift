public import MemoryPressure
internal import ResourceCaches

extension ControllerHost {
    /// Tells everybody in the host about a warning, and returns what they gave back.
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
    /// all that are free.
    ///
    /// Synchronous, in the host's isolation: it takes as long as what it calls, plus the allocator's walk over the heap
    /// (microseconds when small, tens of milliseconds for gigabytes).
    ///
    /// **Called inside a delivery** it only takes note and returns ``MemoryRelease/none``. All that is asked for in
    /// this way causes one further broadcast (the most urgent one) right after the first, and its release is part of
    /// the first one's; what is asked for during that one is dropped (rule 4.22). A changed level is never lost.
    ///
    /// - Returns: What was released; ``MemoryRelease/none`` if there was no broadcast.
    @discardableResult
    public func deliver(_ warning: MemoryWarning) -> MemoryRelease {
        let asksForBroadcast = takeLevel(of: warning)
        guard currentWarning == nil else {
            if asksForBroadcast { noteFollowUp(warning) }
            return .none
        }
        guard asksForBroadcast || level != announcedLevel else {
            // What a simulation made smaller.
            if warning.level == .normal, level == .normal { recoverControllers() }
            return .none
        }

        let start = ContinuousClock.now
        let residentBefore = ProcessMemory.residentBytes()
        released = 0
        currentWarning = warning
        if asksForBroadcast { broadcast(warning) }
        announceLevel()
        let followUp = followUp
        if let followUp {
            currentWarning = followUp
            broadcast(followUp)
            announceLevel()
            // With what was asked for meanwhile.
            self.followUp = nil
        }
        currentWarning = nil
        // After a simulation too: nobody will ever say that it is over.
        if level == .normal { reclaimer.pressureDidEnd() }

        guard asksForBroadcast || followUp != nil else { return .none }
        ProcessMemory.trimAllocator()
        let release = MemoryRelease(
            released: released,
            residentBefore: residentBefore,
            residentAfter: ProcessMemory.residentBytes(),
            duration: start.duration(to: .now)
        )
        delegate?.controllerHost(self, didRelease: release, for: warning)
        post(FinishedDelivery(warning: warning, release: release))
        return release
    }

    /// Makes a broadcast as if memory were short, to see what the service does and gives back.
    ///
    /// ``level`` stays as it is and the level handlers are not called; the next real change is reported as usual. A
    /// simulated `normal` does nothing. Otherwise like ``deliver(_:)``.
    @discardableResult
    public func simulateMemoryWarning(_ level: PressureLevel = .warning) -> MemoryRelease {
        deliver(MemoryWarning(level: level))
    }

    /// The bytes that could be given back now, by own count: view trees off window, their backings, and the process's
    /// caches.
    ///
    /// What a controller would refuse to unload is counted all the same: it is an offer, not a promise. Walks the host's
    /// controllers, and loads nothing.
    public var releasableBytes: UInt64 {
        var views = 0
        controllers.visit { controller in
            // A view with a superview goes with its container's, which counts it.
            guard let view = controller.viewIfLoaded, view.superview == nil, view.window == nil else { return }
            views += view.totalCost
        }
        return UInt64(max(0, views)) + reclaimer.releasableBytes
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

    private func noteFollowUp(_ warning: MemoryWarning) {
        if let followUp, followUp.level > warning.level { return }
        followUp = warning
    }

    /// Rule 4.3, up to the handlers.
    private func broadcast(_ warning: MemoryWarning) {
        delegate?.controllerHost(self, didReceiveMemoryWarning: warning)
        warnControllers()
        discardVolatileBackings()
        post(warning)
        let request = ReclaimRequest(level: warning.level, bytesWanted: warning.bytesWanted, round: warning.round)
        released += reclaimer.reclaim(for: request, alreadyReleased: released)
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

    private func discardVolatileBackings() {
        backedViews.visit { view in
            if view.window == nil { count(released: view.discardBacking()) }
        }
        backedViews.keep { $0.backing != nil }
    }

    private func announceLevel() {
        guard level != announcedLevel else { return }
        announcedLevel = level
        if level == .normal { recoverControllers() }
        levelHandlers.callAll(level)
    }
}
