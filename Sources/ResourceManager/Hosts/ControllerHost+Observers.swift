public import MemoryPressure

extension ControllerHost {
    /// Calls `observer` at every broadcast, after the controllers; for objects that are not controllers.
    ///
    /// Observers are called in the order of their registration, in the host's isolation. They may register and
    /// unregister observers; a new observer receives the next broadcast. Keep the returned registration, or it ends at
    /// once. Capture the host weakly, since the host keeps the closure.
    public func onMemoryWarning(_ observer: @escaping (MemoryWarning) -> Void) -> Registration {
        onNotification(MemoryWarning.self, observer)
    }

    /// Calls `release` at every broadcast, in order with the observers, and counts the bytes that it returns as
    /// released.
    ///
    /// For anything that can be dropped and is neither a view nor a cache: a buffer, a pool, a memoised result (rule
    /// 4.26). Otherwise like ``onMemoryWarning(_:)``.
    public func onMemoryRelease(_ release: @escaping (MemoryWarning) -> Int) -> Registration {
        onMemoryWarning { [weak self] warning in self?.count(released: release(warning)) }
    }

    /// Calls `observer` with each warning that was broadcast and its outcome, after the delegate; for metrics and logs.
    ///
    /// The host answers the daemon after its observers, so a slow observer delays the answer. Otherwise like
    /// ``onMemoryWarning(_:)``.
    public func onDelivery(_ observer: @escaping (MemoryWarning, MemoryRelease) -> Void) -> Registration {
        onNotification(FinishedDelivery.self) { observer($0.warning, $0.release) }
    }

    /// Calls `handler` with the new level whenever ``level`` has changed: a rise after its broadcast, a fall without
    /// one.
    ///
    /// Use it to learn that the pressure is over, so that caches may grow again. Otherwise like
    /// ``onMemoryWarning(_:)``.
    public func onLevelChange(_ handler: @escaping (PressureLevel) -> Void) -> Registration {
        levelHandlers.add(handler)
    }

    /// Calls `observer` with each fault, after ``faultHandling``; for metrics and transcripts.
    ///
    /// Otherwise like ``onMemoryWarning(_:)``.
    public func onFault(_ observer: @escaping (ResourceFault) -> Void) -> Registration {
        faultObservers.add(observer)
    }

    /// Calls `handler` whenever ``origin`` has changed: a daemon was found or lost.
    ///
    /// Otherwise like ``onMemoryWarning(_:)``.
    public func onOriginChange(_ handler: @escaping (PressureOrigin) -> Void) -> Registration {
        originHandlers.add(handler)
    }
}

/// A warning whose broadcast is complete, and its outcome.
struct FinishedDelivery {
    var warning: MemoryWarning
    var release: MemoryRelease
}
