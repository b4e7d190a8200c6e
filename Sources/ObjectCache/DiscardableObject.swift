internal import ResourceCaches

/// A box for content that can be discarded while it is not in use, with the access count of Apple's discardable types.
///
/// Its creation is the first access: the count starts at 1 (rule 7.12).
///
/// ```swift
/// func store(_ bytes: [UInt8], as number: Int) {
///     let drawing = DiscardableObject(bytes)  // its creation begins the first access
///     drawings.setObject(drawing, forKey: number, cost: bytes.count)
///     drawing.endContentAccess()
/// }
///
/// func show(_ number: Int) {
///     if let drawing = drawings.object(forKey: number), drawing.beginContentAccess(), let bytes = drawing.content {
///         defer { drawing.endContentAccess() }
///         draw(bytes)
///     }
/// }
/// ```
///
/// It may be used from any thread. Every call takes constant time under a lock of its own; the content is destroyed,
/// and the closures are called, outside the lock.
public final class DiscardableObject<Content: Sendable>: DiscardableContent {
    private struct State {
        var content: Content?
        var accessCount = 1

        mutating func begin() -> Bool {
            guard content != nil else { return false }
            accessCount += 1
            return true
        }
    }

    private let state: Guarded<State>
    private let recreate: (@Sendable () -> Content?)?
    private let report: @Sendable (ContentFault) -> Void

    /// Creates content with one access under way.
    ///
    /// - Parameters:
    ///   - content: The content.
    ///   - recreate: Recreates discarded content at the beginning of an access, or returns `nil` if it cannot; without
    ///     this closure, discarded content stays discarded. Called on the thread that begins the access. Threads that
    ///     begin at the same time may each call it; the first result is kept.
    ///   - faultHandler: Is told about wrong use, during the refused call.
    public init(
        _ content: Content,
        recreate: (@Sendable () -> Content?)? = nil,
        faultHandler: @escaping @Sendable (ContentFault) -> Void = ContentFault.log
    ) {
        state = Guarded(State(content: content))
        self.recreate = recreate
        report = faultHandler
    }

    /// The content, during an access.
    ///
    /// Outside an access it is `nil`, and reports the fault `ContentFault.contentNotAccessed` (rule 7.14).
    public var content: Content? {
        let (content, isAccessed) = state.withLock { ($0.content, $0.accessCount > 0) }
        guard isAccessed else {
            report(.contentNotAccessed)
            return nil
        }
        return content
    }

    /// Begins an access if the content exists or can be recreated, and returns whether it did (rule 7.12).
    public func beginContentAccess() -> Bool {
        if state.withLock({ $0.begin() }) { return true }
        guard let recreate, let content = recreate() else { return false }
        return state.withLock { state in
            // Another thread may have been faster.
            if state.content == nil { state.content = content }
            return state.begin()
        }
    }

    /// Ends an access.
    ///
    /// If none is under way, it only reports `ContentFault.unbalancedContentAccess` (rule 7.14).
    public func endContentAccess() {
        let isBalanced = state.withLock { state in
            guard state.accessCount > 0 else { return false }
            state.accessCount -= 1
            return true
        }
        if !isBalanced { report(.unbalancedContentAccess) }
    }

    /// Discards the content if no access is under way; it is destroyed on the calling thread (rules 7.12, 7.13).
    public func discardContentIfPossible() {
        // The content that the closure returns is destroyed after the lock is free.
        _ = state.withLock { state -> Content? in
            guard state.accessCount == 0 else { return nil }
            return state.content.take()
        }
    }

    /// Whether the content is discarded (rule 7.13).
    public var isContentDiscarded: Bool {
        state.withLock { $0.content == nil }
    }

    /// Whether an access is under way.
    public var isContentBeingAccessed: Bool {
        state.withLock { $0.accessCount > 0 }
    }
}
