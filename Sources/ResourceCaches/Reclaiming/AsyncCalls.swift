/// The calls of one ``AsyncReclaimable``: one at a time, and one that waits for the end of that.
final class AsyncCalls: Sendable {
    enum Call {
        /// For a number of bytes, out of the offered number.
        case reclaim(Int, of: Int)
        case pressureDidEnd

        fileprivate func merged(with former: Self?) -> Self {
            guard case .reclaim(let bytes, let offer) = self, case .reclaim(let earlier, let before)? = former else {
                return self
            }
            return .reclaim(max(bytes, earlier), of: max(offer, before))
        }

        /// The call as it is due now, after others have taken a part of the object's bytes.
        fileprivate func clamped(to offer: Int) -> Self {
            guard case .reclaim(let bytes, _) = self else { return self }
            return .reclaim(min(bytes, offer), of: offer)
        }
    }

    private struct State {
        var isUnderWay = false
        /// The round that waits for the call under way.
        var round: AsyncAnswers?
        var next: Call?
    }

    private let state = Guarded(State())
    private let trim: @Sendable () -> Void

    /// - Parameter trim: Called when a call has freed bytes that no round counts: a round makes the allocator return free
    ///   pages at its end, so these would stay. By default another thread makes it return them.
    init(trim: @escaping @Sendable () -> Void = { Reclaimer.shared.perform { ProcessMemory.trimAllocator() } }) {
        self.trim = trim
    }

    /// Whether a call has not ended.
    var isUnderWay: Bool { state.withLock { $0.isUnderWay } }

    /// Begins a call, or schedules it after the one under way, replacing any other scheduled call; of two requests the one
    /// for more bytes stays.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - object: The called object, kept until the call has ended.
    ///   - round: The round that counts the result of a call that begins at once. While that call is under way, the
    ///     same round asks for nothing else.
    func put(_ call: Call, to object: any AsyncReclaimable, in round: AsyncAnswers? = nil) {
        let begins = state.withLock { state in
            guard state.isUnderWay else {
                state.isUnderWay = true
                state.round = round
                return true
            }
            if round == nil || round !== state.round { state.next = call.merged(with: state.next) }
            return false
        }
        guard begins else { return }
        var promise: AsyncAnswers.Promise?
        if case .reclaim(let bytes, _) = call { promise = round?.promise(bytes) }
        // A warning waits for this task, whatever the priority of the task that delivers the warning.
        Task.detached(priority: .high) { [promise] in await self.begin(call, to: object, promise) }
    }

    private func begin(_ call: Call, to object: any AsyncReclaimable, _ promise: AsyncAnswers.Promise?) async {
        let given = await perform(call, on: object)
        var next = takeNext()
        // The round may ask again as soon as it has the answer.
        if promise?.keep(given) != true, given > 0 { trim() }
        while let call = next {
            let offer = object.reclaimPriority.offer(of: object.reclaimableBytes)
            if await perform(call.clamped(to: offer), on: object) > 0 { trim() }
            next = takeNext()
        }
    }

    private func perform(_ call: Call, on object: any AsyncReclaimable) async -> Int {
        switch call {
        case .reclaim(let bytes, let offer):
            return max(0, min(await object.reclaim(bytes), offer))
        case .pressureDidEnd:
            await object.pressureDidEnd()
            return 0
        }
    }

    private func takeNext() -> Call? {
        state.withLock { state in
            state.round = nil
            let next = state.next.take()
            state.isUnderWay = next != nil
            return next
        }
    }
}
