import Testing

@testable import ResourceManager

struct FinishedLoadsTests {
    private let loads = FinishedLoads()

    private func put() { loads.put(FinishedLoads.Finished(id: 1, result: .success(1))) }

    @Test(
        "a reader does not wait if its result arrives, and another takes it, before it has left its actor (2.19)",
        .timeLimit(.minutes(1))
    )
    func takenMeanwhile() async {
        let reader = loads.join()
        put()
        #expect(loads.take().count == 1)
        await loads.wait(as: reader)
    }

    @Test("a reader does not wait for a result that is there, nor after a wake-up", .timeLimit(.minutes(1)))
    func noWait() async {
        put()
        await loads.arrival()
        #expect(loads.take().count == 1)
        let reader = loads.join()
        loads.wakeReaders()
        await loads.wait(as: reader)
    }

    @Test("a reader that is cancelled before it waits does not wait", .timeLimit(.minutes(1)))
    func cancelled() async {
        let task = Task { [loads] in
            withUnsafeCurrentTask { $0?.cancel() }
            await loads.arrivalOrCancellation()
        }
        await task.value
    }
}
