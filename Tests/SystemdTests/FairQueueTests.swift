import Testing

@testable import Systemd

struct FairQueueTests {
    /// The owner of a descriptor: account 1 for 10 to 19, and so on, with one user each.
    private static func owner(_ descriptor: CInt, user: UInt32 = 0) -> FairQueue.Owner {
        FairQueue.Owner(account: UInt64(descriptor) / 10, user: user)
    }

    /// Adds descriptors: 10 to 19 for account 1, and so on.
    private static func add(_ descriptors: [CInt], to queue: inout FairQueue) {
        for descriptor in descriptors { queue.join(descriptor, 1, of: owner(descriptor)) }
    }

    private static func drain(_ queue: inout FairQueue) -> [CInt] {
        var served: [CInt] = []
        while let next = queue.next() { served.append(next.member) }
        return served
    }

    @Test("descriptors of different accounts alternate, and those of one account come in the order of arrival")
    func turns() {
        var queue = FairQueue()
        Self.add([12, 10, 11, 25, 31, 30], to: &queue)
        #expect(queue.count == 6)
        #expect(queue.count(of: 1) == 3 && queue.count(of: 2) == 1 && queue.count(of: 4) == 0)
        #expect(Self.drain(&queue) == [12, 25, 31, 10, 30, 11])
        #expect(queue.isEmpty && queue.count == 0 && queue.count(of: 1) == 0)
    }

    @Test("a descriptor waits only once, with its latest events; a dropped descriptor does not wait")
    func events() {
        var queue = FairQueue()
        let early = queue.renew(1, of: 10)
        Self.add([10, 11], to: &queue)
        let waiting = queue.renew(3, of: 10)
        queue.drop(11)
        #expect(!early && waiting && queue.count == 2)
        let next = queue.next()
        #expect(next?.member == 10 && next?.events == 3)
        #expect(Self.drain(&queue) == [])
        let late = queue.renew(1, of: 10)
        #expect(!late && queue.count == 0)
    }

    @Test("an account that returns gets the last turn")
    func again() {
        var queue = FairQueue()
        Self.add([10, 20, 21], to: &queue)
        let first = queue.next()
        #expect(first?.member == 10)
        Self.add([11], to: &queue)
        #expect(queue.count(of: 1) == 1 && queue.count == 3)
        #expect(Self.drain(&queue) == [20, 11, 21])
    }

    @Test("however many accounts arrive, an account's second descriptor only waits for the accounts before it")
    func endlessArrivals() {
        var queue = FairQueue()
        Self.add([10, 11, 20, 30], to: &queue)
        var served: [CInt] = []
        for account in 4..<30 as Range<CInt> {
            if let next = queue.next() { served.append(next.member) }
            Self.add([10 * account], to: &queue)
        }
        #expect(served.prefix(4) == [10, 20, 30, 11])
    }

    @Test("an account with many users gets the turns of one account, in which its users alternate")
    func users() {
        var queue = FairQueue()
        for descriptor in 10..<19 as Range<CInt> {
            queue.join(descriptor, 1, of: Self.owner(descriptor, user: UInt32(descriptor) / 2))
        }
        Self.add([20, 21], to: &queue)
        #expect(Self.drain(&queue) == [10, 20, 12, 21, 14, 16, 18, 11, 13, 15, 17])
    }

    @Test("a descriptor that was removed waits in its next owner's line")
    func removal() {
        var queue = FairQueue()
        Self.add([10, 11, 12, 20, 21], to: &queue)
        queue.remove(11)
        queue.remove(11)
        #expect(queue.count == 4 && queue.count(of: 1) == 2)
        queue.join(11, 1, of: FairQueue.Owner(account: 3, user: 0))
        #expect(Self.drain(&queue) == [10, 20, 11, 12, 21])
        queue.remove(10)
        #expect(queue.isEmpty && queue.count == 0)
    }

    @Test("the room for descriptors stays when the queue is empty, and is given up on request unless some wait")
    func room() {
        var queue = FairQueue()
        Self.add([2_000, 10], to: &queue)
        #expect(Self.drain(&queue) == [2_000, 10])
        #expect(queue.room == 2_001)
        Self.add([10], to: &queue)
        queue.shrink()
        #expect(queue.room == 2_001)
        #expect(Self.drain(&queue) == [10])
        queue.shrink()
        #expect(queue.room == 0)
    }

    @Test("in the largest account the user with the most loses its newest; among equals the last one does")
    func shedding() {
        var queue = FairQueue()
        for (descriptor, user) in zip(10..<15 as Range<CInt>, [1, 2, 2, 2, 1] as [UInt32]) {
            queue.join(descriptor, 1, of: Self.owner(descriptor, user: user))
        }
        Self.add([20, 21, 30], to: &queue)
        let most = queue.shed(Self.owner(30), onlyInAccount: false) { _ in false }
        let own = queue.shed(Self.owner(21), onlyInAccount: true) { _ in false }
        let spared = queue.shed(Self.owner(30), onlyInAccount: false) { $0 != 0 }
        #expect(most == 13 && own == 21 && spared == 30)
        Self.add([40], to: &queue)
        queue.remove(10)
        queue.remove(11)
        queue.remove(12)
        let equal = queue.shed(Self.owner(40), onlyInAccount: false) { _ in false }
        #expect(equal == 40)
        #expect(Self.drain(&queue) == [14, 20])
    }
}
