internal import ResourceCaches

/// A box for content that can be thrown away while it is not in use, with the access count of Apple's discardable types.
///
/// To make one is its first access: the count starts at 1 (rule 7.12).
///
/// ```swift
/// let page = DiscardableObject(try render(7))
/// pages.setObject(page, forKey: 7, cost: size)
/// page.endContentAccess()
/// // Later, on any thread:
/// if let page = pages.object(forKey: 7), page.beginContentAccess() {
///     defer { page.endContentAccess() }
///     draw(page.content)
/// }
/// ```
///
/// It may be used from any thread. Every call takes constant time under a lock of its own; the content ends, and the
/// closures are called, outside of it.
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

    /// Content with one access under way.
    ///
    /// - Parameters:
    ///   - content: The content.
    ///   - recreate: Makes content anew at the beginning of an access to what is gone, or returns `nil` if it cannot;
    ///     without it, what is gone stays gone. Called on the thread that begins. Several threads that begin at the same
    ///     time may each call it; the first content that is made stays.
    ///   - faultHandler: Hears of wrong use, in the middle of the call that was refused.
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
    /// Outside of one it is `nil`, and the fault ``ContentFault/contentNotAccessed`` (rule 7.14).
    public var content: Content? {
        let (content, isAccessed) = state.withLock { ($0.content, $0.accessCount > 0) }
        guard isAccessed else {
            report(.contentNotAccessed)
            return nil
        }
        return content
    }

    /// Begins an access if the content is there or was made again, and tells whether it is (rule 7.12).
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
    /// With none under way it does nothing but report ``ContentFault/unbalancedContentAccess`` (rule 7.14).
    public func endContentAccess() {
        let isBalanced = state.withLock { state in
            guard state.accessCount > 0 else { return false }
            state.accessCount -= 1
            return true
        }
        if !isBalanced { report(.unbalancedContentAccess) }
    }

    /// Throws the content away if no access is under way; it ends on the calling thread (rules 7.12, 7.13).
    public func discardContentIfPossible() {
        // What leaves the closure ends after the lock is left.
        _ = state.withLock { state -> Content? in
            guard state.accessCount == 0 else { return nil }
            return state.content.take()
        }
    }

    /// Whether the content is gone (rule 7.13).
    public var isContentDiscarded: Bool {
        state.withLock { $0.content == nil }
    }

    /// Whether an access is under way.
    public var isContentBeingAccessed: Bool {
        state.withLock { $0.accessCount > 0 }
    }
}
