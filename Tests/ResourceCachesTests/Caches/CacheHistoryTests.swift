import CLinux
import Synchronization
import TestSupport
import Testing

@testable import ResourceCaches

@Suite(.ownCaches)
struct CacheHistoryTests {
    private typealias Operation = CacheHistory.Operation

    /// The threads' calls, by key.
    private final class Recorder: Sendable {
        private let time = Atomic(0)
        private let operations = Locked<[Int: [CacheHistory.Operation]]>([:])

        var histories: [Int: [CacheHistory.Operation]] { operations.withLock { $0 } }

        func now() -> Int { time.add(1, ordering: .sequentiallyConsistent).newValue }

        func add(_ other: [Int: [CacheHistory.Operation]]) {
            operations.withLock { $0.merge(other, uniquingKeysWith: +) }
        }
    }

    private static let rounds = isUnderThreadSanitizer ? 300 : 2_000

    /// Records the histories of keys.
    ///
    /// In each round all threads make a few calls for two keys.
    private func record(threads: Int, calls: Int, seed: UInt64, on cache: ResourceCache<Int, Int>) -> Recorder {
        let recorder = Recorder()
        let barrier = Barrier(threads)
        onThreads(threads) { thread in
            var generator = SeededGenerator(seed: seed &* 100 &+ UInt64(thread))
            var operations: [Int: [CacheHistory.Operation]] = [:]
            var value = thread
            for round in 0..<Self.rounds {
                barrier.wait()
                for _ in 0..<calls {
                    let key = round * 2 + Int.random(in: 0..<2, using: &generator)
                    let kind = Int.random(in: 0..<8, using: &generator)
                    value += threads
                    let begin = recorder.now()
                    let call: CacheHistory.Call =
                        switch kind {
                        case 0, 1:
                            .set(
                                {
                                    cache.insert(value, for: key)
                                    return value
                                }()
                            )
                        case 2:
                            .remove(found: cache.remove(key))
                        case 3:
                            .get(found: cache.withValue(for: key) { $0 })
                        case 4, 5:
                            cache.update(key) { current in
                                let found = current
                                current = value % 4 == 0 ? nil : value
                                return .update(found: found, made: current)
                            }
                        default:
                            .get(found: cache.value(for: key))
                        }
                    operations[key, default: []].append(Operation(call: call, begin: begin, end: recorder.now()))
                }
            }
            recorder.add(operations)
        }
        return recorder
    }

    @Test(
        "whatever threads do with a key at once, the results equal those of some sequential order",
        arguments: [(2, 6), (3, 4)]
    )
    func linearisable(threads: Int, calls: Int) {
        // Keys that stay in the cache make the table grow all the time.
        let cache = ResourceCache<Int, Int>("K")
        let recorder = record(threads: threads, calls: calls, seed: UInt64(threads), on: cache)
        for (key, operations) in recorder.histories where !CacheHistory(operations: operations).isLinearisable() {
            Issue.record("key \(key): \(operations)")
            return
        }
    }

    @Test("the same holds while other threads make the table grow, shrink and free removed entries")
    func linearisableInMovingTable() {
        let cache = ResourceCache<Int, Int>("K")
        let isOver = Atomic(false)
        let filler = NewThread {
            var round = 0
            while !isOver.load(ordering: .relaxed) {
                for key in 1...400 { cache.insert(0, for: -key) }
                for key in 1...400 { cache.remove(-key) }
                round += 1
                if round % 8 == 0 { cache.limit = round % 16 == 0 ? 1 << 20 : 1 << 19 }
            }
        }
        let recorder = record(threads: 2, calls: 5, seed: 9, on: cache)
        isOver.store(true, ordering: .relaxed)
        filler.join()
        for (key, operations) in recorder.histories where !CacheHistory(operations: operations).isLinearisable() {
            Issue.record("key \(key): \(operations)")
            return
        }
    }

    @Test("the checker distinguishes a history with an impossible read from one with a possible read")
    func checker() {
        func operation(_ call: CacheHistory.Call, _ begin: Int, _ end: Int) -> Operation {
            Operation(call: call, begin: begin, end: end)
        }
        func isLinearisable(_ operations: Operation...) -> Bool {
            CacheHistory(operations: operations).isLinearisable()
        }
        #expect(isLinearisable(operation(.set(1), 1, 4), operation(.get(found: nil), 2, 3)))
        #expect(isLinearisable(operation(.set(1), 1, 4), operation(.get(found: 1), 2, 3)))
        #expect(!isLinearisable(operation(.set(1), 1, 2), operation(.get(found: nil), 3, 4)))
        #expect(!isLinearisable(operation(.get(found: 1), 1, 2), operation(.set(1), 3, 4)))
        #expect(
            !isLinearisable(
                operation(.set(1), 1, 8),
                operation(.get(found: 1), 2, 3),
                operation(.get(found: nil), 4, 5)
            ),
            "what was there once does not go again"
        )
        #expect(
            !isLinearisable(
                operation(.set(1), 1, 2),
                operation(.remove(found: 1), 3, 6),
                operation(.remove(found: 1), 4, 5)
            ),
            "one value is removed once"
        )
        #expect(
            !isLinearisable(
                operation(.update(found: nil, made: 1), 1, 4),
                operation(.update(found: nil, made: 2), 2, 3)
            ),
            "one of them comes after the other"
        )
    }
}
