/// A value that is loaded at its first read, dropped at a memory warning, and loaded again at the next read
/// (rule 2.16).
///
/// ```swift
/// let synonyms = Reloadable("synonyms", cost: { $0.count * 64 }, load: { readSynonyms() })
///
/// func meaning(of word: String) -> String? {
///     synonyms.value()[word]  // loads them, the first time and after a warning
/// }
/// ```
///
/// It needs neither a host nor a controller: it receives every warning that a `ControllerHost` in the process
/// receives; that does not keep it alive.
///
/// **At a warning** the value is dropped, once for each level: a value that is loaded while a level lasts stays until
/// the level rises. A warning that wants bytes drops it again at its turn, and leaves it if others have enough. A value
/// in use stays, and is reported with 0 bytes: dropping it would free nothing, and the next read would load a second
/// one beside it. Use is detected for an object, an `Array`, `ContiguousArray`, `Set` or `Dictionary`, and an
/// `Optional` of these. A value of another type is dropped and reported even while it is in use; keep that value in a
/// final class.
///
/// It may be used from any thread. If several threads and tasks read it at the same time, one of them loads it, and the
/// others wait: a thread is blocked in ``value()``, a task is suspended in ``load()``. A failed load stores nothing:
/// all waiters get the error, and the next read loads again. The loader runs without a lock. In a loader that reads the
/// value that it is loading, ``value()`` traps and ``load()`` throws; two loaders that need each other's value wait for
/// ever. Loads from caches inside a loader do not wait for a turn, see ``LoadLimits``.
///
/// Use ``AsyncReloadable`` for a loader that suspends, and `LazyResource` for a value that is not `Sendable`, or that
/// its owner drops by its own rule.
public final class Reloadable<Value: Sendable, Failure: Error>: Sendable {
    /// The name of the value in reports.
    public let name: String
    @usableFromInline let slot = ReloadableSlot<Value>()
    private let make: @Sendable () throws(Failure) -> ReloadableSlot<Value>.Loaded

    /// Creates a value that is not loaded yet.
    ///
    /// - Parameters:
    ///   - name: Its name in reports.
    ///   - cost: Returns the bytes that a loaded value holds, not negative; called once per load. Without it a warning
    ///     drops the value and reports 0 bytes for it, unless the warning is not critical and wants a number of bytes:
    ///     then the value stays.
    ///   - load: Makes the value, on the thread whose read needs it. Kept as long as this object, so it should not keep
    ///     the object's owner alive.
    public init(
        _ name: String,
        cost: @escaping @Sendable (Value) -> Int = { _ in 0 },
        load: @escaping @Sendable () throws(Failure) -> Value
    ) {
        self.name = name
        make = { () throws(Failure) in
            let value = try load()
            return ReloadableSlot.Loaded(value, cost: cost(value))
        }
        Reclaimer.current.register(self)
    }

    // `value()` is not a property: the compiler (6.3) crashes on a getter that throws a generic error.

    /// The value; if it is not loaded, this thread loads it.
    ///
    /// While another thread loads it, this one is blocked, and gets the result of that load. A thread does not wait for
    /// a task that took over a load and has not begun: then the thread loads the value itself, and the first result is
    /// kept. In a task that must not block its thread call ``load()`` instead.
    ///
    /// - Throws: The loader's error, here or on the thread that loads; then the value is not loaded, and the next read
    ///   loads again. If the other thread's loader threw in a cancelled task, this thread takes over the load.
    @inlinable
    public func value() throws(Failure) -> Value {
        if let value = slot.value { return value }
        return try loadMissing()
    }

    @usableFromInline
    func loadMissing() throws(Failure) -> Value {
        try slot.value(orLoad: make)
    }

    /// The value; if it is not loaded, this task loads it without blocking the caller's actor.
    ///
    /// While another thread or task loads it, this one is suspended, and gets the result of that load. The loader runs
    /// concurrently with the caller's actor, on a thread of the task's executor.
    ///
    /// - Returns: The value, even in a cancelled task if its loader ignores the cancellation.
    /// - Throws: The loader's error, here or in the thread or task that loads; `CancellationError` as soon as the task
    ///   is cancelled while it waits, and the load continues; ``CacheLoadError/circular`` in the loader itself. If the
    ///   loader threw in a cancelled task, one of the waiting tasks loads again, and the others continue to wait.
    @inlinable
    public nonisolated(nonsending) func load() async throws -> Value {
        if let value = slot.value { return value }
        return try await loadConcurrently()
    }

    @concurrent
    @usableFromInline
    func loadConcurrently() async throws -> Value {
        switch try await slot.turn(isLedByThread: true) {
        case .value(let value): value
        case .lead(let run): try slot.perform(.lead, run, make)
        }
    }

    /// Loads a new value to replace the present one, because its source has changed.
    ///
    /// Always runs the loader, possibly at the same time as other loads. Readers get the old value until the new one is
    /// loaded; after that the result of an earlier load is dropped.
    ///
    /// - Returns: The new value, or that of a reload that began later and was faster.
    /// - Throws: The loader's error; then the old value stays.
    @discardableResult
    public func reload() throws(Failure) -> Value {
        try slot.perform(.reload, LoadUnderWay(), make)
    }

    /// The value if it is loaded; never loads it, and never waits for a load.
    @inlinable public var valueIfLoaded: Value? { slot.value }

    /// Whether the value is loaded; never loads it, and never waits for a load.
    @inlinable public var isLoaded: Bool { slot.value != nil }

    /// Calls `body` with the value, which is loaded if necessary and kept alive until `body` returns.
    ///
    /// No lock is held: other threads may read, drop and reload the value during the call.
    ///
    /// - Throws: The errors of ``value()``.
    @inlinable
    public func withValue<Result>(_ body: (borrowing Value) -> Result) throws(Failure) -> Result {
        body(try value())
    }

    /// Drops the value; the next read loads it again.
    ///
    /// It does so even if the value is in use. A load under way is neither dropped nor waited for.
    ///
    /// - Returns: Whether there was a value to drop.
    @discardableResult
    public func drop() -> Bool {
        slot.drop() != nil
    }
}
