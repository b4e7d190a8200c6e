import Testing

@testable import Systemd

struct FairQueueTests {
    /// Adds descriptors, 10 to 19 for the account 1, and so on.
    private static func add(_ descriptors: [CInt], to queue: inout FairQueue) {
        for descriptor in descriptors { queue.join(descriptor, 1, account: UInt32(descriptor) / 10) }
    }

    private static func drain(_ queue: inout FairQueue) -> [CInt] {
        var served: [CInt] = []
        while let next = queue.next() { served.append(next.member) }
        return served
    }

    @Test("descriptors of different accounts alternate, and each account's come in the order of their arrival")
    func turns() {
        var queue = FairQueue()
        Self.add([12, 10, 11, 25, 31, 30], to: &queue)
        #expect(queue.count == 6)
        #expect(queue.count(of: 1) == 3 && queue.count(of: 2) == 1 && queue.count(of: 4) == 0)
        #expect(Self.drain(&queue) == [12, 25, 31, 10, 30, 11])
        #expect(queue.isEmpty && queue.count == 0 && queue.count(of: 1) == 0)
    }

    @Test("a descriptor waits once, with its last events, and not if they were dropped")
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

    @Test("an account that comes back joins the end of the turns")
    func again() {
        var queue = FairQueue()
        Self.add([10, 20, 21], to: &queue)
        let first = queue.next()
        #expect(first?.member == 10)
        Self.add([11], to: &queue)
        #expect(queue.count(of: 1) == 1 && queue.count == 3)
        #expect(Self.drain(&queue) == [20, 11, 21])
    }

    @Test("accounts that come without end delay the second descriptor of an account by those before it only")
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
}
