/// A value with a suspending loader: loaded at its first read, dropped at a memory warning, and loaded again at the
/// next read (rule 2.16).
///
/// ```swift
/// let rates = AsyncReloadable("rates") { try await fetchRates() }
///
/// func inEuro(_ amount: Double) async throws -> Double? {
///     try await rates.value()["EUR"].map { amount / $0 }
/// }
/// ```
///
/// It is otherwise like ``Reloadable``, also at a warning: one load serves all tasks that read at the same time, in the
/// first of these tasks, with its priority and its task-local values. A loader that reads the value that it is loading
/// gets ``CacheLoadError/circular``, also in child tasks and in tasks that it creates without detaching them.
public final class AsyncReloadable<Value: Sendable>: Sendable {
    /// The name of the value in reports.
    public let name: String
    @usableFromInline let slot = ReloadableSlot<Value>()
    private let make: @Sendable () async throws -> ReloadableSlot<Value>.Loaded

    /// Creates a value that is not loaded yet.
    ///
    /// - Parameters:
    ///   - name: Its name in reports.
    ///   - cost: Returns the bytes that a loaded value holds, not negative; called once per load. Without it a warning
    ///     drops the value and reports 0 bytes for it, unless the warning is not critical and wants a number of bytes:
    ///     then the value stays.
    ///   - load: Makes the value, in the task whose read needs it. Kept as long as this object, so it should not keep
    ///     the object's owner alive.
    public init(
        _ name: String,
        cost: @escaping @Sendable (Value) -> Int = { _ in 0 },
        load: @escaping @Sendable () async throws -> Value
    ) {
        self.name = name
        make = {
            let value = try await load()
            return ReloadableSlot.Loaded(value, cost: cost(value))
        }
        Reclaimer.current.register(self)
    }

    /// The value; if it is not loaded, this task loads it.
    ///
    /// While another task loads it, this one is suspended, and gets the result of that load. If every nanosecond counts
    /// and the value is usually loaded, read ``valueIfLoaded`` first.
    ///
    /// - Throws: The loader's error, here or in the task that loads; `CancellationError` as soon as the task is
    ///   cancelled while it waits, and the load continues; ``CacheLoadError/circular`` in the loader itself. If the
    ///   loader threw in a cancelled task, one of the waiting tasks loads again, and the others continue to wait.
    @inlinable
    public nonisolated(nonsending) func value() async throws -> Value {
        if let value = slot.value { return value }
        return try await loadMissing()
    }

    @usableFromInline
    nonisolated(nonsending) func loadMissing() async throws -> Value {
        switch try await slot.turn(isLedByThread: false) {
        case .value(let value): value
        case .lead(let run): try await slot.perform(.lead, run, make)
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
    public nonisolated(nonsending) func reload() async throws -> Value {
        try await slot.perform(.reload, LoadUnderWay(), make)
    }

    /// The value if it is loaded; never loads it, and never waits for a load.
    @inlinable public var valueIfLoaded: Value? { slot.value }

    /// Whether the value is loaded; never loads it, and never waits for a load.
    @inlinable public var isLoaded: Bool { slot.value != nil }

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
