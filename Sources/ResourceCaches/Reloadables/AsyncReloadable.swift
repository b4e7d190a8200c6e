/// A value whose loader suspends: loaded at its first read, dropped at a memory warning, and loaded again at the next
/// read (rule 2.16).
///
/// ```swift
/// let rates = AsyncReloadable("rates") { try await fetchRates() }
///
/// func inEuro(_ amount: Double) async throws -> Double? {
///     try await rates.value()["EUR"].map { amount / $0 }
/// }
/// ```
///
/// Like ``Reloadable`` in all but that, also in what stays at a warning: one load for all tasks that read at the same
/// time, in the task that came first, with its priority and its task-local values. A loader that reads the very value
/// it is to load gets ``CacheLoadError/circular``, also in child tasks and in tasks that it makes without detaching
/// them.
public final class AsyncReloadable<Value: Sendable>: Sendable {
    /// What the value is called in reports.
    public let name: String
    @usableFromInline let slot = ReloadableSlot<Value>()
    private let make: @Sendable () async throws -> ReloadableSlot<Value>.Loaded

    /// A value that is not loaded yet.
    ///
    /// - Parameters:
    ///   - name: What it is called in reports.
    ///   - cost: The bytes that a loaded value holds, not negative; asked once per load. Without it a warning drops the
    ///     value and reports 0 bytes for it, unless it wants a number of bytes: then it leaves the value.
    ///   - load: Makes the value, in the task whose read needs it. Kept as long as this object, so it should not keep
    ///     the object's owner.
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

    /// The value, loaded by this task if it is not there.
    ///
    /// While another task loads it, this one is suspended, and gets what comes of that. Where every nanosecond counts,
    /// and the value is usually there, ask ``valueIfLoaded`` first.
    ///
    /// - Throws: What the loader throws, here or in the task waited for; `CancellationError` as soon as the task is
    ///   cancelled while it waits, and the load goes on; ``CacheLoadError/circular`` in the loader itself. If the loader
    ///   threw in a task that was cancelled, one of those that wait loads anew, and the others go on waiting.
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

    /// Loads a new value in the place of the one there is, because what it is made from has changed.
    ///
    /// Runs the loader in any case, at the same time as others may. Readers get the old value until the new one is
    /// there; what a load brings that began earlier is not kept after that.
    ///
    /// - Returns: The new value, or the one of a reload that began later and was faster.
    /// - Throws: What the loader throws; then the old value stays.
    @discardableResult
    public nonisolated(nonsending) func reload() async throws -> Value {
        try await slot.perform(.reload, LoadUnderWay(), make)
    }

    /// The value if it is there; never loads it, and never waits for a load.
    @inlinable public var valueIfLoaded: Value? { slot.value }

    /// Whether the value is there; never loads it, and never waits for a load.
    @inlinable public var isLoaded: Bool { slot.value != nil }

    /// Lets go of the value; the next read loads it again.
    ///
    /// Also if it is in use. A load that is under way is not dropped or waited for.
    ///
    /// - Returns: Whether there was a value to drop.
    @discardableResult
    public func drop() -> Bool {
        slot.drop() != nil
    }
}
