extension ControllerHost {
    /// Hands over the results of background work that have arrived.
    ///
    /// ``run()`` does this by itself; call it where nothing runs.
    public func receiveLoads() {
        for finished in finishedLoads.take() {
            guard let controller = loading.removeValue(forKey: finished.id)?.controller else { continue }
            controller.loads?.finish(finished.id, with: finished.result)
        }
    }

    /// Waits for all background work that controllers have started, and hands over its results; for tests.
    ///
    /// Runs in the caller's isolation, which is the host's; not while ``run()`` runs.
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
        weak var controller: ViewController?
    }
}

extension ControllerHost {
    /// Has something written in the background, after all that was asked for before: positions, drafts, statistics.
    ///
    /// The way to save in ``ViewController/viewWillDisappear()``, where nothing slow may be done (rule 3.23). One at a
    /// time, in order, concurrently with the host. ``run()`` waits for them before it returns.
    public func save(_ write: @escaping @Sendable () async -> Void) {
        let previous = lastSave
        lastSave = Task {
            await previous?.value
            await write()
        }
    }

    /// Waits until everything that ``save(_:)`` was asked for is written.
    public nonisolated(nonsending) func finishSaves() async {
        await lastSave?.value
    }
}
