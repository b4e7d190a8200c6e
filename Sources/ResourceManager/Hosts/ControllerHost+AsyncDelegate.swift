/// A call of the ``ControllerHost/asyncDelegate``; the result is 0.
typealias AsyncDelegateCall = @Sendable () async -> Int

extension ControllerHost {
    /// Begins to tell the ``asyncDelegate`` of a warning; `nil` if there is nothing to wait for.
    func askAsyncDelegate(in delivery: Delivery) -> ActorAnswers? {
        tellAsyncDelegate(in: delivery, by: asyncWarnings) { [name, warning = delivery.warning] delegate in
            await delegate.controllerHost(name, didReceiveMemoryWarning: warning)
        }
    }

    /// Begins to tell the ``asyncDelegate`` of the outcome; `nil` if there was no broadcast, or nothing to wait for.
    func informAsyncDelegate(of release: MemoryRelease, in delivery: Delivery) -> ActorAnswers? {
        guard delivery.isBroadcast else { return nil }
        return tellAsyncDelegate(in: delivery, by: asyncOutcomes) { [name, warning = delivery.first] delegate in
            await delegate.controllerHost(name, didRelease: release, for: warning)
        }
    }

    private func tellAsyncDelegate(
        in delivery: Delivery,
        by calls: ActorCalls<AsyncDelegateCall>,
        _ tell: @escaping @Sendable (any AsyncControllerHostDelegate) async -> Void
    ) -> ActorAnswers? {
        guard let delegate = asyncDelegate else { return nil }
        let call: AsyncDelegateCall = {
            await tell(delegate)
            return 0
        }
        guard calls.begin(call) else { return nil }
        return ActorAnswers([{ await calls.perform(call) { await $0() } }], at: delivery.warning.level)
    }
}
