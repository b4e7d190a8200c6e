public import MemoryPressure
internal import ResourceCaches

extension ControllerHost {
    /// Delivers a warning to all parts of the host, and returns what they released.
    ///
    /// | the warning | the effect |
    /// | --- | --- |
    /// | raises ``level`` | a broadcast, then the level handlers |
    /// | has the present level, and is a repetition, wants bytes or is a daemon's round | a broadcast |
    /// | lowers the level | the level handlers |
    /// | is simulated, and not normal | a broadcast |
    /// | does none of these | nothing |
    ///
    /// A broadcast goes to: the delegate; the controllers alive when it began, in order of creation, each finished
    /// before the next; the backings of views off window, which are discarded; the resources of controllers off window,
    /// which are dropped; the observers; the process's caches in order of creation, while the allocator returns their
    /// pages to the kernel step by step. Finally the allocator returns all pages that are still free, the outcome is
    /// measured, and then the level handlers are called.
    ///
    /// **It blocks.** It is synchronous, in the host's isolation, and takes as long as the code that it calls, plus the
    /// destructors of the values that caches drop, plus the allocator's walk over the heap (microseconds for a small
    /// heap, some hundred milliseconds for gigabytes). ``run()`` does the work of caches and allocator on another
    /// thread.
    ///
    /// **Called inside a delivery**, it only records the request and returns ``MemoryRelease/none``. All requests of
    /// this kind cause one further broadcast, of the most urgent one, right after the first; its release is part of the
    /// first one's. Requests during that further broadcast are dropped (rule 4.22). A changed level is never lost.
    ///
    /// **Called while ``run()`` waits for caches to shrink** on the other thread, it is not inside that delivery, whose
    /// callbacks have returned. It makes a delivery of its own, complete when it returns. The first delivery then ends
    /// with its outcome, and with its level handlers if the level has not been announced yet.
    ///
    /// **Several hosts in a process** share its caches, which shrink once for a warning that all of them pass on: once
    /// for each round of a daemon, and once for warnings without a round. The caches give the total that
    /// the hosts are asked for, and each host counts the bytes that they gave for it. Two hosts may deliver on two
    /// threads at once; neither waits for the other.
    ///
    /// - Returns: The release, caches included; ``MemoryRelease/none`` if there was no broadcast.
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

    /// As ``deliver(_:isolation:)``, but leaves the actor free while caches shrink on the reclaimer's thread.
    ///
    /// `residentBefore` is the present size of the resident set; it is read only if the delivery begins.
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

    /// Makes a broadcast as if memory were short, to see how the service reacts and what it releases.
    ///
    /// ``level`` does not change and the level handlers are not called; the next real change is reported as usual. At a
    /// simulated `normal`, controllers that a warning has degraded recover, unless the real ``level`` is raised, and
    /// nothing else happens. Each call is a new warning, also at the level of the last one. Otherwise like
    /// ``deliver(_:isolation:)``: it blocks, and caches that have shrunk for another host's simulation shrink again. It
    /// does not wait for an `AsyncReclaimable`; the warning of a test's `ResourceTesting` scope does.
    @discardableResult
    public func simulateMemoryWarning(
        _ level: PressureLevel = .warning,
        isolation: isolated (any Actor)? = #isolation
    ) -> MemoryRelease {
        deliver(MemoryWarning(level: level))
    }

    /// The bytes that could be released now, by their owners' own count: view trees off window, their backings, the
    /// resources of controllers off window (`resource(_:cost:)`), and the process's caches.
    ///
    /// If a process has several hosts, only the oldest one that runs counts the caches, or the oldest one if none runs.
    ///
    /// Views that a controller would refuse to unload are counted too: this is an offer, not a promise. Walks the
    /// host's controllers, and loads nothing.
    public var releasableBytes: UInt64 { ownReleasableBytes.addingSaturated(reclaiming.releasableBytes) }

    /// The same without the process's caches.
    var ownReleasableBytes: UInt64 {
        var views = 0
        controllers.visit { controller in
            // A view with a superview is released with its container's view, which counts it.
            guard let view = controller.viewIfLoaded, view.superview == nil, view.window == nil else { return }
            views = views.addingSaturated(max(0, view.totalCost))
        }
        resourceOffers.visit { views = views.addingSaturated($0.releasableCost) }
        return UInt64(max(0, views))
    }

    /// Applies the level of a real warning, and returns whether the warning is to be broadcast.
    private func takeLevel(of warning: MemoryWarning) -> Bool {
        let isUrgent = warning.level > .normal
        guard !warning.isSimulated else { return isUrgent }
        defer { level = warning.level }
        // A daemon's round expects an answer, even if another scope has raised the level before.
        let isAsked = warning.isRepeat || warning.round != 0 || warning.bytesWanted > 0
        return isUrgent && (warning.level > level || warning.level == level && isAsked)
    }

    /// Begins a delivery; `nil` if there is nothing to deliver, or if the delivery under way has recorded the request.
    private func begin(
        _ warning: MemoryWarning,
        residentBefore: @autoclosure () -> UInt64,
        isolation: (any Actor)?
    ) -> Delivery? {
        let asksForBroadcast = takeLevel(of: warning)
        guard delivery == nil else {
            if asksForBroadcast { delivery?.note(warning) } else if warning.level == .normal { delivery?.noteNormal() }
            return nil
        }
        guard asksForBroadcast || level != announcedLevel else {
            // Controllers that a simulation has degraded.
            if warning.level == .normal, level == .normal { recoverControllers() }
            return nil
        }
        if level > .normal { reclaiming.rise(to: level) }
        return Delivery(
            warning,
            to: self,
            isBroadcast: asksForBroadcast,
            residentBefore: residentBefore(),
            isolation: isolation
        )
    }

    /// The broadcast of rule 4.3, up to the observers.
    private func tell(_ delivery: inout Delivery) {
        during(&delivery) {
            let warning = $0
            delegate?.controllerHost(self, didReceiveMemoryWarning: warning)
            warnControllers()
            discardVolatileBackings()
            dropResources()
            post(warning)
            // The memory of objects that have ended goes too, before the allocator returns free pages.
            controllers.sweep()
            resourceOffers.sweep()
            windows.sweep()
        }
    }

    private func reclaim(in delivery: inout Delivery) -> ReclaimingHost.Outcome {
        // A broadcast that a destructor requests is inside this delivery.
        during(&delivery) { [request = delivery.request, released = delivery.released] _ in
            reclaiming.reclaim(for: request, alreadyReleased: released)
        }
    }

    private func announceLevel(in delivery: inout Delivery) {
        during(&delivery) { _ in
            let isNew = level != announcedLevel
            announcedLevel = level
            // A level that rose and fell during the broadcast is not announced, but the broadcast has degraded controllers.
            if level == .normal, isNew || self.delivery?.isOver ?? false { recoverControllers() }
            if isNew { levelHandlers.callAll(level) }
        }
    }

    /// Makes calls that may call back: the bytes that callbacks release are counted, and their requests are recorded.
    private func during<Result>(_ delivery: inout Delivery, _ body: (MemoryWarning) -> Result) -> Result {
        self.delivery = delivery
        defer { if let continued = self.delivery.take() { delivery = continued } }
        return body(delivery.warning)
    }

    private func finish(_ delivery: Delivery) -> MemoryRelease {
        // After a simulation too, since no message will say that it is over.
        reclaiming.settle(at: level)
        guard let release = delivery.release else { return .none }
        delegate?.controllerHost(self, didRelease: release, for: delivery.first)
        post(FinishedDelivery(warning: delivery.first, release: release))
        return release
    }

    /// Ends a raised level after the last warning: no message will end it, and the process may live on.
    func endPressure(isolation: isolated (any Actor)? = #isolation) {
        guard level > .normal else { return }
        deliver(MemoryWarning(level: .normal, reason: PressureReason(.unknown), isSimulated: false))
    }

    /// Warns only controllers alive at the start, and keeps none of them alive beyond its own turn (rule 4.4).
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

    private func dropResources() {
        guard resourceOffers.count > 0 else { return }
        // A resource may hold caches, which end with it.
        let bytes = reclaiming.release {
            resourceOffers.visit { count(released: $0.release()) }
        }
        count(released: bytes)
    }

    func discardVolatileBackings() {
        backedViews.visit { view in
            if view.window == nil { count(released: view.discardBacking()) }
        }
        backedViews.keep { $0.backing != nil }
    }
}
