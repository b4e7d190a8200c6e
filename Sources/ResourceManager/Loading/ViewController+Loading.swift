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
    /// should not keep the controller.
    ///
    /// - Parameters:
    ///   - work: Runs concurrently; should end soon when its task is cancelled.
    ///   - receive: Takes what the work returned or threw.
    public final func load<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value,
        then receive: @escaping (Result<Value, any Error>) -> Void
    ) {
        let id = host.addLoad(of: self)
        let finished = host.finishedLoads
        let task = Task {
            let result: Result<any Sendable, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            finished.put(FinishedLoads.Finished(id: id, result: result))
        }
        let loads = loads ?? LoadList(host: host)
        self.loads = loads
        loads.add(
            id,
            LoadList.Load(cancel: task.cancel) { result in
                receive(
                    result.flatMap { value in
                        // It left this function as a `Value`.
                        (value as? Value).map(Result.success) ?? .failure(CancellationError())
                    }
                )
            }
        )
    }
}

/// The loads of one controller that are under way.
final class LoadList {
    struct Load {
        let cancel: () -> Void
        let receive: (Result<any Sendable, any Error>) -> Void
    }

    private let host: ControllerHost
    private var loads: [UInt64: Load] = [:]

    init(host: ControllerHost) {
        self.host = host
    }

    func add(_ id: UInt64, _ load: Load) {
        loads[id] = load
    }

    func take(_ id: UInt64) -> Load? {
        loads.removeValue(forKey: id)
    }

    func cancelAll() {
        let cancelled = loads
        loads = [:]
        for (id, load) in cancelled {
            host.forgetLoad(id)
            load.cancel()
        }
    }
}
