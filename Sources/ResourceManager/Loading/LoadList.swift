/// The loads of one controller that are under way, and those that have failed.
final class LoadList {
    /// One piece of work, which can be done again.
    struct Load {
        /// Begins the work, which adds its result to `finished`; returns a closure that cancels it.
        let begin: (UInt64, FinishedLoads) -> () -> Void
        /// Whether a caller waits for the work and receives every outcome; otherwise a failure becomes the view's.
        let isAwaited: Bool
        let receive: (Result<any Sendable, any Error>) -> Void

        init<Value: Sendable>(
            _ work: @escaping @Sendable () async throws -> Value,
            isAwaited: Bool,
            receive: @escaping (Result<Value, any Error>) -> Void
        ) {
            begin = { id, finished in
                let task = Task {
                    let result: Result<any Sendable, any Error>
                    do { result = .success(try await work()) } catch { result = .failure(error) }
                    finished.put(FinishedLoads.Finished(id: id, result: result))
                }
                return task.cancel
            }
            self.isAwaited = isAwaited
            self.receive = { result in
                receive(
                    result.flatMap { value in
                        // The work returned it as a `Value`.
                        (value as? Value).map(Result.success) ?? .failure(CancellationError())
                    }
                )
            }
        }
    }

    private let host: ControllerHost
    private var underWay: [UInt64: (load: Load, cancel: () -> Void)] = [:]
    private var failed: [Load] = []
    /// The first error since the view was loaded, or since failed loads were retried.
    private(set) var error: (any Error)?

    init(host: ControllerHost) {
        self.host = host
    }

    var isUnderWay: Bool { !underWay.isEmpty }

    func add(_ id: UInt64, _ load: Load) {
        underWay[id] = (load, load.begin(id, host.finishedLoads))
    }

    func finish(_ id: UInt64, with result: Result<any Sendable, any Error>) {
        guard let load = underWay.removeValue(forKey: id)?.load else { return }
        if case .failure(let error) = result, !load.isAwaited {
            self.error = self.error ?? error
            failed.append(load)
        }
        load.receive(result)
    }

    /// Ends a load with `CancellationError`.
    func cancel(_ id: UInt64) {
        guard let load = underWay[id] else { return }
        host.forgetLoad(id)
        load.cancel()
        finish(id, with: .failure(CancellationError()))
        host.finishedLoads.wakeReaders()
    }

    /// Ends all loads with `CancellationError`, in the order in which they began.
    func cancelEach() {
        for id in underWay.keys.sorted() { cancel(id) }
    }

    /// Removes the failed loads, so that they can be begun again.
    func takeFailed() -> [Load] {
        // The deinit of the error may use the list.
        withExtendedLifetime(Swift.exchange(&error, with: nil)) {}
        return Swift.exchange(&failed, with: [])
    }

    /// Ends all loads without a result, and forgets failures: the view was released.
    func cancelAll() {
        let cancelled = Swift.exchange(&underWay, with: [:])
        // What the failed loads refer to may use the list in its deinit.
        withExtendedLifetime(takeFailed()) {}
        for (id, entry) in cancelled {
            host.forgetLoad(id)
            entry.cancel()
            if entry.load.isAwaited { entry.load.receive(.failure(ViewLoadError.viewReleased)) }
        }
        host.finishedLoads.wakeReaders()
    }

    /// Ends all loads when the controller ends, on any thread (rule 2.17): the host forgets them when it next receives
    /// results.
    func end() {
        for (id, entry) in underWay {
            entry.cancel()
            host.finishedLoads.put(FinishedLoads.Finished(id: id, result: .failure(ViewLoadError.viewReleased)))
        }
    }
}
