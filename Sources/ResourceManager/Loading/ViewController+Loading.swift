extension ViewController {
    /// Starts slow work in the background, whose result comes back in the host's isolation.
    ///
    /// ```swift
    /// override func viewDidLoad() {
    ///     load {
    ///         try await fetchTerms()
    ///     } then: { [weak self] terms in
    ///         (self?.viewIfLoaded as? TermsView)?.terms = (try? terms.get()) ?? []
    ///     }
    /// }
    /// ```
    ///
    /// The work belongs to the view that is loaded: when that goes, by an unload, by setting it to `nil`, or with the
    /// controller, the work is cancelled and `receive` never called. Else it is called once, while
    /// ``ControllerHost/run()`` runs or in ``ControllerHost/receiveLoads()``. The controller keeps `receive`, so that
    /// should not keep the controller. ``loadState`` says how it ended, ``readyView()`` waits for it.
    ///
    /// - Parameters:
    ///   - work: Runs concurrently; should end soon when its task is cancelled.
    ///   - receive: Takes what the work returned or threw.
    public final func load<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value,
        then receive: @escaping (Result<Value, any Error>) -> Void
    ) {
        start(LoadList.Load(work, isAwaited: false, receive: receive))
    }

    /// Does slow work in the background for the view that is loaded, and returns what came of it.
    ///
    /// ```swift
    /// nonisolated(nonsending) func terms() async throws -> [String] {
    ///     try await load { try await fetchTerms() }
    /// }
    /// ```
    ///
    /// As ``load(_:then:)``, but it always ends: if the view goes meanwhile it throws ``ViewLoadError/viewReleased``. Needs no
    /// ``ControllerHost/run()``. The error goes to the caller, and is not kept in ``loadState``.
    ///
    /// - Throws: What the work throws; `CancellationError` if the caller's task is cancelled, or ``cancelLoads()`` is called, which
    ///   cancels the work; ``ViewLoadError/viewReleased``.
    public final nonisolated(nonsending) func load<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        var outcome: Result<Value, any Error>?
        let id = start(LoadList.Load(work, isAwaited: true) { outcome = $0 })
        while true {
            host.receiveLoads()
            if let outcome { return try outcome.get() }
            if Task.isCancelled { loads?.cancel(id) }
            if outcome == nil { await host.finishedLoads.arrivalOrCancellation() }
        }
    }

    /// How far the view is with its slow work.
    public final var loadState: LoadState {
        guard isViewLoaded else { return .unloaded }
        guard let loads else { return .loaded }
        if loads.isUnderWay { return .loading }
        return loads.error.map(LoadState.failed) ?? .loaded
    }

    /// The view with all that its slow work brings: loads it if it is not there, and waits for what ``load(_:then:)`` was asked for.
    ///
    /// ``loadView()`` and ``viewDidLoad()`` run as they do when ``view`` is read, at once and in this call (rules 2.1 and 2.18). It
    /// always ends, and needs no ``ControllerHost/run()``. To try again after an error, call ``retryLoads()`` first.
    ///
    /// - Throws: The error that is kept in ``loadState``; ``ViewLoadError/viewReleased`` if the view goes meanwhile, as at a
    ///   warning; ``ViewLoadError/noView`` if `loadView()` assigned none or is running; `CancellationError` if the caller's task is
    ///   cancelled, which leaves the work to others that wait.
    public final nonisolated(nonsending) func readyView() async throws -> View {
        loadViewIfNeeded()
        guard loadedView != nil else { throw ViewLoadError.noView }
        let awaited = AwaitedView(view: loadedView)
        while true {
            host.receiveLoads()
            guard awaited.view != nil, awaited.view === loadedView else { throw ViewLoadError.viewReleased }
            switch loadState {
            case .loaded: if let loadedView { return loadedView }
            case .failed(let error): throw error
            case .loading, .unloaded: break
            }
            try Task.checkCancellation()
            await host.finishedLoads.arrivalOrCancellation()
        }
    }

    /// Cancels the slow work of the view that is under way; its result is a failure with `CancellationError`.
    public final func cancelLoads() {
        loads?.cancelEach()
    }

    /// Starts the slow work of the view again that has failed; does nothing if none has.
    ///
    /// What ``load(_:then:)`` was given as `then` is called again, with the new result.
    public final func retryLoads() {
        for load in loads?.takeFailed() ?? [] { start(load) }
    }

    @discardableResult
    private func start(_ load: LoadList.Load) -> UInt64 {
        let id = host.addLoad(of: self)
        let loads = loads ?? LoadList(host: host)
        self.loads = loads
        loads.add(id, load)
        return id
    }
}

/// The view that is waited for, which must not keep its memory meanwhile.
private struct AwaitedView {
    weak var view: View?
}

/// How far a view is with its slow work, that of ``ViewController/load(_:then:)``.
public enum LoadState: Sendable {
    /// There is no view.
    case unloaded
    /// Some of it is under way.
    case loading
    /// The view is there, and nothing is under way or has failed.
    case loaded
    /// Nothing is under way, and this is the first error; kept until the view goes or ``ViewController/retryLoads()``.
    case failed(any Error)
}

/// Why a view that was waited for did not come.
public enum ViewLoadError: Error, Hashable, CustomStringConvertible {
    /// The view has gone meanwhile, as at a memory warning; the next access loads it again.
    case viewReleased
    /// `loadView()` assigned none, or is still running.
    case noView

    /// The reason, and what to do.
    public var description: String {
        switch self {
        case .viewReleased:
            "the view was released while it was loading; load it again, or keep its window visible meanwhile"
        case .noView: "loadView() has assigned no view; assign one before the view is waited for"
        }
    }
}
