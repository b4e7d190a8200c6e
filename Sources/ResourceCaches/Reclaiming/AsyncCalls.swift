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
        /// The call under way.
        var present: Call?
        /// The round that waits for the call under way, or for the next one.
        var round: AsyncAnswers?
        var next: Call?
        /// What the round of the next call waits for.
        var promise: AsyncAnswers.Promise?

        /// Whether a call is under way or due that frees part of the object's bytes.
        var isReclaiming: Bool { [present, next].contains { if case .reclaim? = $0 { true } else { false } } }
    }

    private let state = Guarded(State())
    private let trim: @Sendable () -> Void

    /// - Parameter trim: Called when a call has freed bytes that no round counts: a round makes the allocator return free
    ///   pages at its end, so these would stay. By default another thread makes it return them.
    init(trim: @escaping @Sendable () -> Void = { Reclaimer.shared.perform { ProcessMemory.trimAllocator() } }) {
        self.trim = trim
    }

    /// Whether a call is under way or due that frees part of the object's bytes.
    var isReclaiming: Bool { state.withLock { $0.isReclaiming } }

    /// Begins a call, or schedules it after the one under way, replacing any other scheduled call; of two requests the one
    /// for more bytes stays.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - object: The called object, kept until the call has ended.
    ///   - round: The round that counts the result, if the call begins at once, or after the end of pressure has been
    ///     told. Until the call has ended, the same round asks for nothing else.
    func put(_ call: Call, to object: any AsyncReclaimable, in round: AsyncAnswers? = nil) {
        let (begins, replaced) = state.withLock { state -> (Bool, AsyncAnswers.Promise?) in
            guard state.present != nil else {
                state.present = call
                state.round = round
                return (true, nil)
            }
            guard round == nil || round !== state.round else { return (false, nil) }
            var replaced: AsyncAnswers.Promise?
            switch call {
            case .reclaim(let bytes, _):
                if !state.isReclaiming, let round {
                    state.round = round
                    state.promise = round.promise(bytes)
                }
            case .pressureDidEnd:
                replaced = state.promise.take()
                if replaced != nil { state.round = nil }
            }
            state.next = call.merged(with: state.next)
            return (false, replaced)
        }
        _ = replaced?.keep(0)
        guard begins else { return }
        var promise: AsyncAnswers.Promise?
        if case .reclaim(let bytes, _) = call { promise = round?.promise(bytes) }
        // A warning waits for this task, whatever the priority of the task that delivers the warning.
        Task.detached(priority: .high) { [promise] in await self.begin(call, to: object, promise) }
    }

    private func begin(_ call: Call, to object: any AsyncReclaimable, _ promise: AsyncAnswers.Promise?) async {
        var (call, promise) = (call, promise)
        while true {
            let given = await perform(call, on: object)
            let next = takeNext()
            // The round may ask again as soon as it has the answer.
            if promise?.keep(given) != true, given > 0 { trim() }
            guard let next else { return }
            let offer = object.reclaimPriority.offer(of: object.reclaimableBytes)
            (call, promise) = (next.call.clamped(to: offer), next.promise)
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

    private func takeNext() -> (call: Call, promise: AsyncAnswers.Promise?)? {
        state.withLock { state in
            let promise = state.promise.take()
            if promise == nil { state.round = nil }
            state.present = state.next.take()
            return state.present.map { ($0, promise) }
        }
    }
}
