extension ControllerHost {
    /// Delivers the results of background work that have arrived.
    ///
    /// ``run()`` does this itself; call it if the host does not run.
    public func receiveLoads() {
        for finished in finishedLoads.take() {
            guard let controller = loading.removeValue(forKey: finished.id)?.controller else { continue }
            controller.loads?.finish(finished.id, with: finished.result)
        }
    }

    /// Waits for all background work that controllers have started, and delivers its results; for tests.
    ///
    /// Runs in the caller's isolation, which must be the host's. Do not call it while ``run()`` is running.
    public nonisolated(nonsending) func finishLoads() async {
        receiveLoads()
        while !loading.isEmpty {
            await finishedLoads.arrival()
            receiveLoads()
        }
    }

    func addLoad(of controller: ViewController) -> UInt64 {
        lastLoad += 1
        loading[lastLoad] = LoadingController(controller: controller)
        return lastLoad
    }

    func forgetLoad(_ id: UInt64) {
        loading[id] = nil
    }

    struct LoadingController {
        @Weak var controller: ViewController?
    }
}

extension ControllerHost {
    /// Saves something in the background, after all earlier calls: positions, drafts, statistics.
    ///
    /// Use it in ``ViewController/viewWillDisappear()``, which must not be slow (rule 3.23). The closures run one at a
    /// time, in order, concurrently with the host. ``run()`` waits for them before it returns.
    public func save(_ write: @escaping @Sendable () async -> Void) {
        let previous = lastSave
        lastSave = Task {
            await previous?.value
            await write()
        }
    }

    /// Waits until all closures that were passed to ``save(_:)`` have run, those that are passed meanwhile included.
    ///
    /// A save that always adds another one never lets this return.
    public nonisolated(nonsending) func finishSaves() async {
        while let save = lastSave {
            await save.value
            if lastSave == save { lastSave = nil }
        }
    }
}
