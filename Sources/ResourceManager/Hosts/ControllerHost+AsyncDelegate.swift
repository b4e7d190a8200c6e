extension ControllerHost {
    /// Begins to tell the ``asyncDelegate`` of a warning; `nil` if there is none.
    func askAsyncDelegate(in delivery: Delivery) -> ActorAnswers? {
        tellAsyncDelegate(in: delivery) { [name, warning = delivery.warning] delegate in
            await delegate.controllerHost(name, didReceiveMemoryWarning: warning)
        }
    }

    /// Begins to tell the ``asyncDelegate`` of the outcome; `nil` if there is no delegate, or there was no broadcast.
    func informAsyncDelegate(of release: MemoryRelease, in delivery: Delivery) -> ActorAnswers? {
        guard delivery.isBroadcast else { return nil }
        return tellAsyncDelegate(in: delivery) { [name, warning = delivery.first] delegate in
            await delegate.controllerHost(name, didRelease: release, for: warning)
        }
    }

    private func tellAsyncDelegate(
        in delivery: Delivery,
        _ call: @escaping @Sendable (any AsyncControllerHostDelegate) async -> Void
    ) -> ActorAnswers? {
        guard let delegate = asyncDelegate else { return nil }
        let calls: [@Sendable () async -> Int] = [
            {
                await call(delegate)
                return 0
            }
        ]
        return ActorAnswers(calls, at: delivery.warning.level)
    }
}
