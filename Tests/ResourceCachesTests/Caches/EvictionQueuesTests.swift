import Synchronization
import TestSupport
import Testing

@testable import ResourceCaches

/// The eviction queues without a cache around them.
private final class QueueStage {
    private let cache = ResourceCache<Int, Int>("entries")
    var view: CacheView.Pointer { cache.view }
    let limit: Int
    var queues = EvictionQueues()
    private(set) var entries: [Int: UInt32] = [:]
    private var known: Set<Int> = []

    init(limit: Int) {
        self.limit = limit
    }

    var cost: Int { entries.values.reduce(0) { $0 + view.pointee.bytes(of: $1) } }

    func queue(of key: Int) -> EntryQueue? {
        entries[key].map { view.pointee.header(of: $0).pointee.queue }
    }

    /// Reads the key, or stores it after evicting others to make room.
    ///
    /// Returns whether the key was present.
    @discardableResult
    func access(_ key: Int, cost: Int = 1) -> Bool {
        if let entry = entries[key] {
            view.pointee.uses(of: entry).count()
            return true
        }
        let isReturning = known.remove(key) != nil
        let queue = queues.place(isReturning: isReturning, cost: cost, limit: limit, in: view)
        while self.cost + cost > limit, let leaver = queues.takeNext(limit: limit, includingOnScreen: false, in: view) {
            forget(leaver)
        }
        let entry = cache.core.pointee.makeEntry(hash: 0, cost: EntryCost(cost), times: nil)
        entries[key] = entry
        queues.insert(entry, into: queue, limit: limit, in: view)
        return false
    }

    func forget(_ entry: UInt32) {
        guard let key = entries.first(where: { $0.value == entry })?.key else { return }
        entries[key] = nil
        if view.pointee.header(of: entry).pointee.marks.contains(.leavesTrace) { known.insert(key) }
    }

    /// The number of hits in the accesses to these keys.
    func hits(_ keys: some Sequence<Int>) -> Int {
        keys.reduce(0) { $0 + (access($1) ? 1 : 0) }
    }
}

@Suite(.ownCaches)
struct EvictionQueuesTests {
    @Test("until the first eviction only the small queue's share is in it, and all other entries are in the main queue")
    func warmStart() {
        let stage = QueueStage(limit: 100)
        for key in 0..<100 { stage.access(key) }
        #expect((0..<100).filter { stage.queue(of: $0) == .main }.count == 98)
        #expect([EntryQueue.young, .old].contains(stage.queue(of: 0)))
    }

    @Test("an entry that has lost a challenge is listed until it leaves, after all but the prefetched ones")
    func displacedIsListed() {
        let stage = QueueStage(limit: 100)
        for key in 0..<110 { stage.access(key) }
        let victim = stage.queues.main.oldest
        #expect(stage.queues.place(isReturning: true, cost: 1, limit: 100, in: stage.view) == .main)
        #expect(stage.queues.main.oldest != victim)
        let listed = stage.queues.hottestFirst(in: stage.view)
        #expect(Set(listed) == Set(stage.entries.values))
        #expect(listed.last == victim)
        #expect(stage.queues.takeNext(limit: 100, includingOnScreen: false, in: stage.view) == victim)
    }

    @Test("entries that are read in the small queue move to the main queue; others leave and are recognised later")
    func promotion() {
        let stage = QueueStage(limit: 100)
        for key in 0..<100 { stage.access(key) }
        for key in 2..<100 { stage.access(key) }
        stage.access(100)
        stage.access(100)
        for key in 101..<110 { stage.access(key) }
        #expect(stage.queue(of: 100) == .main)
        #expect(stage.queue(of: 101) == nil)
        #expect((2..<100).allSatisfy { stage.queue(of: $0) == .main })
    }

    @Test("a scan displaces no entry that is read")
    func scan() {
        let stage = QueueStage(limit: 100)
        for _ in 0..<3 { for key in 0..<80 { stage.access(key) } }
        for key in 1000..<1100 {
            stage.access(key)
            stage.access(key % 80)
        }
        #expect((0..<80).filter { stage.queue(of: $0) != nil }.count >= 78)
    }

    @Test("a loop that does not fit keeps most of the part that fits")
    func loop() {
        let stage = QueueStage(limit: 100)
        let turns = 20
        let hits = stage.hits((0..<150 * turns).map { $0 % 150 })
        // LRU and FIFO have no hits. The optimum has 99 hits of 150 in each turn but the first.
        #expect(hits > 85 * (turns - 1))
    }

    @Test("the queues follow a working set that moves")
    func shift() {
        let stage = QueueStage(limit: 100)
        var generator = SeededGenerator(seed: 3)
        _ = stage.hits((0..<2000).map { _ in Int.random(in: 0..<90, using: &generator) })
        _ = stage.hits((0..<2000).map { _ in Int.random(in: 1000..<1090, using: &generator) })
        #expect(stage.hits((0..<1000).map { _ in Int.random(in: 1000..<1090, using: &generator) }) > 950)
    }

    @Test("the small queue's share stays within its bounds, whatever happens")
    func share() {
        for seed in 0..<20 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let stage = QueueStage(limit: 64)
            for _ in 0..<3000 {
                let key = Int.random(in: 0..<Int.random(in: 1...300, using: &generator), using: &generator)
                stage.access(key, cost: 1 + key % 5)
                #expect(stage.cost <= 64)
                guard (0.01...0.5).contains(stage.queues.share), stage.queues.boost >= 0 else {
                    Issue.record("seed \(seed): share \(stage.queues.share), boost \(stage.queues.boost)")
                    return
                }
            }
        }
    }

    @Test("repeated scans make the small queue larger, until the limit is lowered once")
    func boost() {
        func hits(loweringLimit: Bool) -> Int {
            let stage = QueueStage(limit: 100)
            let turn = Array(0..<180) + (0..<180).reversed()
            _ = stage.hits(turn)
            if loweringLimit { stage.queues.noteLoweredLimit() }
            return stage.hits((0..<20).flatMap { _ in turn })
        }
        #expect(hits(loweringLimit: false) > hits(loweringLimit: true) + 500)
    }

    @Test("under shortage the small queue leaves first, oldest first, then the main queue, but nothing on screen")
    func shortage() {
        let stage = QueueStage(limit: 100)
        for key in 0..<100 { stage.access(key) }
        var order: [Int] = []
        while let entry = stage.queues.takeForShortage(in: stage.view) {
            order.append(stage.entries.first { $0.value == entry }?.key ?? -1)
            stage.forget(entry)
        }
        #expect(order.count == 100)
        #expect(order.prefix(2) == [0, 1])
        #expect(order.dropFirst(2) == Array(2..<100)[...])
    }

    @Test("a list keeps the order of a plain array")
    func list() {
        let cache = ResourceCache<Int, Int>("entries")
        let view = cache.view
        for seed in 0..<50 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var list = EntryList(.main)
            var model: [UInt32] = []
            for _ in 0..<200 {
                let cost = EntryCost(Int.random(in: 0..<9, using: &generator))
                let entry = cache.core.pointee.makeEntry(hash: 0, cost: cost, times: nil)
                switch Int.random(in: 0..<6, using: &generator) {
                case 0, 1:
                    list.insert(entry, in: view)
                    model.append(entry)
                case 2:
                    list.insert(entry, asOldest: true, in: view)
                    model.insert(entry, at: 0)
                case 3:
                    guard let place = model.indices.randomElement(using: &generator) else { continue }
                    list.remove(model.remove(at: place), in: view)
                case 4:
                    guard let place = model.indices.randomElement(using: &generator) else { continue }
                    view.pointee.header(of: entry).pointee = view.pointee.header(of: model[place]).pointee
                    list.relink(entry, in: view)
                    model[place] = entry
                default:
                    let oldest = list.removeOldest(in: view)
                    #expect(oldest == (model.isEmpty ? nil : model.removeFirst()))
                }
                #expect(list.count == model.count)
                #expect(list.cost == model.reduce(0) { $0 + view.pointee.bytes(of: $1) })
                #expect((list.oldest, list.newest) == (model.first ?? 0, model.last ?? 0))
            }
            var rest: [UInt32] = []
            while let entry = list.removeOldest(in: view) { rest.append(entry) }
            #expect(rest == model)
        }
    }
}
