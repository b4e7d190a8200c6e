extension ViewController {
    /// Starts slow work in the background, whose result is delivered in the host's isolation.
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
    /// The work belongs to the loaded view. When the view is released, by an unload, by setting it to `nil` or to a view
    /// that does not contain it, or with the controller, the work is cancelled and `receive` is never called. Otherwise
    /// it is called once, while ``ControllerHost/run()`` is running or in ``ControllerHost/receiveLoads()``. The
    /// controller keeps `receive`, which should not keep the controller. ``loadState`` tells how the work ended, and
    /// ``readyView()`` waits for it.
    ///
    /// - Parameters:
    ///   - work: Runs concurrently; should end soon when its task is cancelled.
    ///   - receive: Receives the value that the work returned, or its error.
    public final func load<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value,
        then receive: @escaping (Result<Value, any Error>) -> Void
    ) {
        start(LoadList.Load(work, isAwaited: false, receive: receive))
    }

    /// Does slow work in the background for the loaded view, and returns its result.
    ///
    /// ```swift
    /// nonisolated(nonsending) func terms() async throws -> [String] {
    ///     try await load { try await fetchTerms() }
    /// }
    /// ```
    ///
    /// Like ``load(_:then:)``, but it always ends: if the view is released meanwhile it throws
    /// ``ViewLoadError/viewReleased``. It needs no ``ControllerHost/run()``. The error goes to the caller, and is not
    /// kept in ``loadState``.
    ///
    /// - Throws: The error of the work; `CancellationError` if the caller's task is cancelled or ``cancelLoads()`` is
    ///   called, which cancels the work; ``ViewLoadError/viewReleased``.
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

    /// The state of the view's slow work.
    public final var loadState: LoadState {
        guard isViewLoaded else { return .unloaded }
        guard let loads else { return .loaded }
        if loads.isUnderWay { return .loading }
        return loads.error.map(LoadState.failed) ?? .loaded
    }

    /// The view with the results of its slow work: loads it if necessary, and waits for all work of ``load(_:then:)``.
    ///
    /// ``loadView()`` and ``viewDidLoad()`` run as for a read of ``view``, at once and in this call (rules 2.1 and
    /// 2.18). The call always ends, and needs no ``ControllerHost/run()``. To try again after an error, call
    /// ``retryLoads()`` first.
    ///
    /// - Throws: The error that is kept in ``loadState``; ``ViewLoadError/viewReleased`` if the view is released
    ///   meanwhile, by a warning for example; ``ViewLoadError/noView`` if `loadView()` assigned none or is running;
    ///   `CancellationError` if the caller's task is cancelled, which does not cancel the work.
    public final nonisolated(nonsending) func readyView() async throws -> View {
        loadViewIfNeeded()
        guard loadedView != nil else { throw ViewLoadError.noView }
        let awaited = AwaitedView(view: loadedView)
        while true {
            host.receiveLoads()
            guard let view = loadedView, awaited.view?.isDescendant(of: view) ?? false else {
                throw ViewLoadError.viewReleased
            }
            switch loadState {
            case .loaded: return view
            case .failed(let error): throw error
            case .loading, .unloaded: break
            }
            try Task.checkCancellation()
            await host.finishedLoads.arrivalOrCancellation()
        }
    }

    /// Cancels the view's slow work under way; its result is a failure with `CancellationError`.
    public final func cancelLoads() {
        loads?.cancelEach()
    }

    /// Starts the view's failed work again; does nothing if none has failed.
    ///
    /// The `then` closure that was passed to ``load(_:then:)`` is called again, with the new result.
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

/// Refers to the view that a caller waits for, without keeping its memory.
private struct AwaitedView {
    @Weak var view: View?
}

/// The state of a view's slow work, that of ``ViewController/load(_:then:)``.
public enum LoadState: Sendable {
    /// There is no view.
    case unloaded
    /// Work is under way.
    case loading
    /// The view is loaded, and no work is under way or has failed.
    case loaded
    /// No work is under way, and this is the first error; kept until the view is released or
    /// ``ViewController/retryLoads()``.
    case failed(any Error)
}

/// The reason why an awaited view is not available.
public enum ViewLoadError: Error, Hashable, CustomStringConvertible {
    /// The view was released meanwhile, by a memory warning for example; the next access loads it again.
    case viewReleased
    /// `loadView()` assigned none, or is still running.
    case noView

    /// The reason, and how to proceed.
    public var description: String {
        switch self {
        case .viewReleased:
            "the view was released while it was loading; load it again, or keep its window visible meanwhile"
        case .noView: "loadView() has assigned no view; assign one before the view is waited for"
        }
    }
}
