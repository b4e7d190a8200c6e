public import MemoryPressure

/// Observers that end with an owner, which they do not keep alive. The closure's first argument is the owner, so it
/// needs no capture list and no registration to keep, and in an actor no workaround.
///
/// An observer of an actor is called on that actor. If the warning is delivered on the same actor, the observer is
/// called in order with the others. Otherwise it is called after them, concurrently with other actors, and
/// ``ControllerHost/run()`` waits for all of them together, for 0.3 s at most (0.15 s at critical), before caches
/// shrink and the daemon is answered. ``ControllerHost/deliver(_:isolation:)`` does not wait, since it blocks a thread that the actor may
/// need. A value that arrives during a call waits for its end; only the newest value waits.
extension ControllerHost {
    /// Calls `observer` on the actor `owner` at every broadcast, for as long as `owner` lives.
    ///
    /// ```swift
    /// host.onMemoryWarning(of: self) { owner, warning in owner.warned += 1 }
    /// ```
    ///
    /// In an actor's initialiser, only the first of these lines may access the host through its property; for more
    /// lines, keep the host in a local constant too.
    public func onMemoryWarning<Owner: Actor>(
        of owner: Owner,
        _ observer: @escaping @Sendable (isolated Owner, MemoryWarning) -> Void
    ) {
        onMemoryRelease(of: owner) { owner, warning in
            observer(owner, warning)
            return 0
        }
    }

    /// Calls `observer` at every broadcast, for as long as `owner` lives, in the host's isolation.
    ///
    /// ```swift
    /// host.onMemoryWarning(of: self) { owner, warning in owner.warned += 1 }
    /// ```
    ///
    /// For classes with the isolation of the host, that of a global actor for instance. Actors have an overload of
    /// their own, which the compiler prefers where it fits.
    @_disfavoredOverload
    public func onMemoryWarning<Owner: AnyObject>(
        of owner: Owner,
        _ observer: @escaping (Owner, MemoryWarning) -> Void
    ) {
        observers(of: MemoryWarning.self).add(of: owner) { [weak owner] warning in
            if let owner { observer(owner, warning) }
        }
    }

    /// Calls `release` on the actor `owner` at every broadcast, and counts the bytes that it returns as released.
    ///
    /// Otherwise like `onMemoryWarning(of:)`. If the warning does not wait for an actor, its bytes are not in the
    /// outcome.
    public func onMemoryRelease<Owner: Actor>(
        of owner: Owner,
        _ release: @escaping @Sendable (isolated Owner, MemoryWarning) -> Int
    ) {
        let calls = ActorCalls<MemoryWarning>()
        observers(of: MemoryWarning.self).add(of: owner) { [weak self, weak owner] warning in
            if let owner { self?.tell(owner, warning, by: calls, release) }
        }
    }

    /// Calls `release` at every broadcast, and counts the bytes that it returns as released.
    ///
    /// Otherwise like `onMemoryWarning(of:)`.
    @_disfavoredOverload
    public func onMemoryRelease<Owner: AnyObject>(
        of owner: Owner,
        _ release: @escaping (Owner, MemoryWarning) -> Int
    ) {
        onMemoryWarning(of: owner) { [weak self] owner, warning in self?.count(released: release(owner, warning)) }
    }

    /// Calls `handler` on the actor `owner` with the new level whenever ``level`` has changed, for as long as `owner` lives.
    ///
    /// Otherwise like `onMemoryWarning(of:)`, but no caller waits for it.
    public func onLevelChange<Owner: Actor>(
        of owner: Owner,
        _ handler: @escaping @Sendable (isolated Owner, PressureLevel) -> Void
    ) {
        let calls = ActorCalls<PressureLevel>()
        levelHandlers.add(of: owner) { [weak self, weak owner] level in
            guard let owner else { return }
            self?.tell(owner, level, by: calls) { owner, level in
                handler(owner, level)
                return 0
            }
        }
    }

    /// Calls `handler` with the new level whenever ``level`` has changed, for as long as `owner` lives.
    ///
    /// Otherwise like `onMemoryWarning(of:)`.
    @_disfavoredOverload
    public func onLevelChange<Owner: AnyObject>(
        of owner: Owner,
        _ handler: @escaping (Owner, PressureLevel) -> Void
    ) {
        levelHandlers.add(of: owner) { [weak owner] level in
            if let owner { handler(owner, level) }
        }
    }

    /// Calls an actor: at once if the delivery runs on it, otherwise together with the delivery's other calls.
    private func tell<Owner: Actor, Value>(
        _ owner: Owner,
        _ value: Value,
        by calls: ActorCalls<Value>,
        _ body: @escaping @Sendable (isolated Owner, Value) -> Int
    ) {
        if let isolation = delivery?.isolation, isolation === owner {
            return count(released: owner.assumeIsolated { body($0, value) })
        }
        guard calls.begin(value) else { return }
        let call: @Sendable () async -> Int = { await calls.perform(value) { await body(owner, $0) } }
        // Outside of a delivery, the program has posted the notification.
        if delivery == nil { Task.detached { _ = await call() } } else { delivery?.calls.append(call) }
    }
}
