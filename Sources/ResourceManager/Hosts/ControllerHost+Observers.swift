public import MemoryPressure

extension ControllerHost {
    /// Calls `observer` at every broadcast, after the controllers; for objects that are no controllers.
    ///
    /// Observers are called in the order of their registration, in the host's isolation. Registering and unregistering
    /// is allowed inside; a newcomer hears of the next broadcast. Keep what is returned, or the registration ends at
    /// once; and capture the host weakly, which keeps the closure.
    public func onMemoryWarning(_ observer: @escaping (MemoryWarning) -> Void) -> Registration {
        onNotification(MemoryWarning.self, observer)
    }

    /// Calls `release` at every broadcast, in turn with the observers, and counts the bytes that it returns as released.
    ///
    /// For whatever can be dropped and is no view and no cache: a buffer, a pool, a memoised result (rule 4.26). Otherwise
    /// like ``onMemoryWarning(_:)``.
    public func onMemoryRelease(_ release: @escaping (MemoryWarning) -> Int) -> Registration {
        onMemoryWarning { [weak self] warning in self?.count(released: release(warning)) }
    }

    /// Calls `observer` with each warning that was broadcast and what it brought, after the delegate; for metrics and
    /// logs.
    ///
    /// Otherwise like ``onMemoryWarning(_:)``.
    public func onDelivery(_ observer: @escaping (MemoryWarning, MemoryRelease) -> Void) -> Registration {
        onNotification(FinishedDelivery.self) { observer($0.warning, $0.release) }
    }

    /// Calls `handler` with the new level whenever ``level`` has changed: up, after the broadcast; down, alone.
    ///
    /// Otherwise like ``onMemoryWarning(_:)``. The way to hear that the pressure is gone, so that caches may grow
    /// again.
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

/// A warning that all have heard of, and what it brought.
struct FinishedDelivery {
    var warning: MemoryWarning
    var release: MemoryRelease
}
