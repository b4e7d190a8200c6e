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
/// Needs no host and no controller: it hears of every warning that a ``ControllerHost`` in the process hears, which
/// does not keep it alive.
///
/// **At a warning** the value goes, once for each level: what is loaded while a level lasts stays until the level rises.
/// A warning that wants bytes takes it again if its turn comes, and leaves it if others have enough. What is in use
/// stays, and is reported with 0 bytes: to drop it would free nothing, and the next read would load a second one beside
/// it. That can be seen of an object, an `Array`, `ContiguousArray`, `Set` or `Dictionary`, and of an `Optional` of
/// these. A value of another type goes and is reported also while it is in use; keep such a one in a final class.
///
/// It may be used from any thread. Of all threads and tasks that read it at the same time one loads, and the others
/// wait for that: a thread is blocked in ``value()``, a task is suspended in ``load()``. A loader that fails leaves
/// nothing: all that waited get the error, and the next read loads again. The loader runs without a lock. In a loader
/// that reads the very value it is to load ``value()`` traps, and ``load()`` throws; two loaders that need each other's
/// value wait for ever. What a loader loads from caches does not wait for a turn, see ``LoadLimits``.
///
/// For a loader that suspends take ``AsyncReloadable``; for a value that is not `Sendable`, or that its owner wants to
/// drop by its own rule, ``LazyResource``.
public final class Reloadable<Value: Sendable, Failure: Error>: Sendable {
    /// What the value is called in reports.
    public let name: String
    @usableFromInline let slot = ReloadableSlot<Value>()
    private let make: @Sendable () throws(Failure) -> ReloadableSlot<Value>.Loaded

    /// A value that is not loaded yet.
    ///
    /// - Parameters:
    ///   - name: What it is called in reports.
    ///   - cost: The bytes that a loaded value holds, not negative; asked once per load. Without it a warning drops the
    ///     value and reports 0 bytes for it, unless it wants a number of bytes: then it leaves the value.
    ///   - load: Makes the value, on the thread whose read needs it. Kept as long as this object, so it should not
    ///     keep the object's owner.
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

    // `value()` is no property: the compiler (6.3) crashes over a getter that throws a generic error.

    /// The value, loaded by this read if it is not there.
    ///
    /// While another thread loads it, this one is blocked, and gets what comes of that. A thread does not wait for a
    /// task that was handed a load and has not begun: then it loads by itself, and the first to finish stays. In a
    /// task that must not block its thread call ``load()`` instead.
    ///
    /// - Throws: What the loader throws, here or on the thread waited for; then the value is not there, and the next
    ///   read loads again. If the other thread's loader threw in a task that was cancelled, the load is this thread's
    ///   turn.
    @inlinable
    public func value() throws(Failure) -> Value {
        if let value = slot.value { return value }
        return try loadMissing()
    }

    @usableFromInline
    func loadMissing() throws(Failure) -> Value {
        try slot.value(orLoad: make)
    }

    /// The value, loaded by this task if it is not there, without blocking the actor that this is called on.
    ///
    /// While another thread or task loads it, this one is suspended, and gets what comes of that. The loader runs
    /// concurrently with the caller's actor, on a thread of the task's executor.
    ///
    /// - Returns: The value, even to a cancelled task if its loader takes no notice.
    /// - Throws: What the loader throws, here or where it was waited for; `CancellationError` as soon as the task is
    ///   cancelled while it waits, and the load goes on; ``CacheLoadError/circular`` in the loader itself. If the loader
    ///   threw in a task that was cancelled, one of those that wait loads anew, and the others go on waiting.
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

    /// Loads a new value in the place of the one there is, because what it is made from has changed.
    ///
    /// Runs the loader in any case, at the same time as others may. Readers get the old value until the new one is
    /// there; what a load brings that began earlier is not kept after that.
    ///
    /// - Returns: The new value, or the one of a reload that began later and was faster.
    /// - Throws: What the loader throws; then the old value stays.
    @discardableResult
    public func reload() throws(Failure) -> Value {
        try slot.perform(.reload, LoadUnderWay(), make)
    }

    /// The value if it is there; never loads it, and never waits for a load.
    @inlinable public var valueIfLoaded: Value? { slot.value }

    /// Whether the value is there; never loads it, and never waits for a load.
    @inlinable public var isLoaded: Bool { slot.value != nil }

    /// Calls `body` with the value, loaded if it is not there, which is kept alive until `body` returns.
    ///
    /// No lock is held: others may read, drop and reload meanwhile.
    ///
    /// - Throws: What ``value()`` throws.
    @inlinable
    public func withValue<Result>(_ body: (borrowing Value) -> Result) throws(Failure) -> Result {
        body(try value())
    }

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
