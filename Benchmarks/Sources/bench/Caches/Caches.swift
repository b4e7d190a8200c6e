internal import BenchSupport
internal import Foundation

/// Measures the speed of caches, and the memory that they need for themselves.
struct Caches {
    private static let entries = 100_000
    /// This number of entries fits into the processor's caches.
    private static let fewEntries = 10_000
    private static let runs = 7
    /// Stored keys repeat only after the cache has long forgotten them, ghosts included.
    private static let stored = 4 * entries

    func run() {
        let numbers = Array(0..<Self.stored)
        let values = numbers.map { Payload($0) }
        let short = numbers.map { "key-\($0 + 1_000_000)" }
        let long = numbers.map { "/pictures/thumbnails/\($0 + 1_000_000).png!!" }
        Self.compare("`Int`", Keys(all: numbers), Keys(all: numbers.map { NSNumber(value: $0) }), values)
        Self.compare("`String` of 11 bytes", Keys(all: short), Keys(all: short.map { NSString(string: $0) }), values)
        Self.compare(
            "`String` of \(long[0].utf8.count) bytes",
            Keys(all: long),
            Keys(all: long.map { NSString(string: $0) }),
            values
        )
        Self.compareWithDictionary(Keys(all: numbers), values)
        let boxed = Keys(all: numbers.map { NSNumber(value: $0) })
        let texts = long.map { NSString(string: $0) }
        for entries in [Self.fewEntries, Self.entries] {
            Self.compareWithFoundation("`NSNumber`", entries, boxed, boxed, values)
            Self.compareWithFoundation(
                "`NSString` of \(long[0].utf8.count) bytes",
                entries,
                Keys(all: texts.map { TextKey(text: $0) }),
                Keys(all: texts),
                values
            )
        }
        Overhead().run()
    }

    /// Compares caches whose entries fit into the processor's caches, and caches with stores among the reads.
    private static func compareWithDictionary(_ keys: Keys<Int>, _ values: [Payload]) {
        let name = "`ResourceCache`"
        for count in [fewEntries, entries] {
            let (ours, theirs): (Ours<Int>, LockedDictionary<Int>) = (
                filled(2 * count, keys, values, count), filled(2 * count, keys, values, count)
            )
            let lanes = [Lane.reading(name, ours, keys), .reading(locked, theirs, keys)]
            race(lanes, "Reading present keys, \(count) entries, some more often, keys `Int`", pair(popular, count))
            race(lanes, "Reading present keys, \(count) entries, all equally often, keys `Int`", pair(even, count))
        }
        for count in [fewEntries, entries] {
            race(
                [
                    .storing(name, filled(count, keys, values, count) as Ours<Int>, keys, values),
                    .storing(
                        locked + ", oldest out",
                        filled(count, keys, values, count) as LockedDictionary<Int>,
                        keys,
                        values
                    ),
                ],
                "Storing into a full cache, \(count) entries, keys `Int`",
                unseen(4 * count)
            )
        }
        let lanes = [
            Lane.mixing(name, filled(2 * entries, keys, values) as Ours<Int>, keys, values),
            .mixing(locked, filled(2 * entries, keys, values) as LockedDictionary<Int>, keys, values),
        ]
        race(lanes, "Nine reads and a store of present keys, some more often, keys `Int`", pair(popular, entries))
        race(lanes, "Nine reads and a store of present keys, all equally often, keys `Int`", pair(even, entries))
    }

    /// Compares `Cache`, which has the shape of Foundation's `NSCache`, with `NSCache`, on the same keys, which are objects.
    private static func compareWithFoundation<Key: Hashable & Sendable, Boxed: NSObject>(
        _ title: String,
        _ entries: Int,
        _ keys: Keys<Key>,
        _ boxed: Keys<Boxed>,
        _ values: [Payload]
    ) {
        let name = "`ObjectCache.Cache`"
        let ours: OurObjectCache<Key> = filled(2 * entries, keys, values, entries)
        let theirs: FoundationCache<Boxed> = filled(2 * entries, boxed, values, entries)
        let random = pair(popular, entries)
        race(
            [.reading(name, ours, keys), .reading(foundation, theirs, boxed)],
            "Reading present keys, \(entries) entries, keys \(title)",
            random
        )
        race(
            [.storing(name, ours, keys, values), .storing(foundation, theirs, boxed, values)],
            "Storing present keys, \(entries) entries, keys \(title)",
            random
        )
        race(
            [
                .storing(name, filled(entries, keys, values, entries) as OurObjectCache<Key>, keys, values),
                .storing(
                    foundation,
                    filled(entries, boxed, values, entries) as FoundationCache<Boxed>,
                    boxed,
                    values
                ),
            ],
            "Storing into a full cache, \(entries) entries, keys \(title)",
            unseen(4 * entries)
        )
    }

    private static let foundation = "`NSCache`"
    private static let locked = "`Mutex<Dictionary>`"

    private static func compare<Key: Hashable & Sendable, Boxed: NSObject>(
        _ title: String,
        _ keys: Keys<Key>,
        _ boxed: Keys<Boxed>,
        _ values: [Payload]
    ) {
        let ours: Ours<Key> = filled(2 * entries, keys, values)
        let reading: [Lane] = [
            .reading("`ResourceCache`, `value(for:)`", ours, keys),
            .lending("`ResourceCache`, `withValue(for:)`", ours, keys),
            .reading("`ObjectCache.Cache`", filled(2 * entries, keys, values) as OurObjectCache<Key>, keys),
            .reading("`Dictionary`, no lock", filled(2 * entries, keys, values) as PlainDictionary<Key>, keys),
            .reading(locked, filled(2 * entries, keys, values) as LockedDictionary<Key>, keys),
            .reading("linked LRU under `NSLock`", filled(2 * entries, keys, values) as LinkedCache<Key>, keys),
            .reading(foundation, filled(2 * entries, boxed, values) as FoundationCache<Boxed>, boxed),
        ]
        race(reading, "Reading present keys, keys \(title)", pair(popular, entries))

        let storing: [Lane] = [
            .storing("`ResourceCache`", filled(entries, keys, values) as Ours<Key>, keys, values),
            .storing("`ObjectCache.Cache`", filled(entries, keys, values) as OurObjectCache<Key>, keys, values),
            .storing(locked + ", oldest out", filled(entries, keys, values) as LockedDictionary<Key>, keys, values),
            .storing("linked LRU under `NSLock`", filled(entries, keys, values) as LinkedCache<Key>, keys, values),
            .storing(foundation, filled(entries, boxed, values) as FoundationCache<Boxed>, boxed, values),
        ]
        race(storing, "Storing into a full cache, keys \(title)", unseen())
    }

    private static func filled<C: Contender>(
        _ limit: Int,
        _ keys: Keys<C.Key>,
        _ values: [Payload],
        _ entries: Int = entries
    ) -> C {
        let contender = C(limit: limit)
        for index in 0..<entries { contender.insert(values[index], for: keys.all[index]) }
        return contender
    }

    // MARK: Sequences of keys

    /// The length of a sequence, a whole number of batches of a ``Lane``.
    private static let length = 1 << 18

    /// Some keys occur much more often than others, independently of the order in which they were inserted.
    private static func popular(seed: UInt64, _ entries: Int) -> [UInt32] {
        var random = SplitMix(seed: 7)
        let keys = (0..<UInt32(entries)).shuffled(using: &random)
        var zipf = Zipf(count: entries, seed: seed)
        return (0..<length).map { _ in keys[zipf.next()] }
    }

    /// All keys occur equally often.
    private static func even(seed: UInt64, _ entries: Int) -> [UInt32] {
        var random = SplitMix(seed: seed)
        return (0..<length).map { _ in UInt32.random(in: 0..<UInt32(entries), using: &random) }
    }

    /// Makes a sequence for each of two threads.
    private static func pair(_ sequence: (UInt64, Int) -> [UInt32], _ entries: Int) -> [[UInt32]] {
        [sequence(1, entries), sequence(2, entries)]
    }

    /// All keys one after the other, for two threads that begin half a cycle apart.
    private static func unseen(_ stored: Int = stored) -> [[UInt32]] {
        var random = SplitMix(seed: 11)
        let keys = (0..<UInt32(stored)).shuffled(using: &random).prefix(stored / 1_024 * 1_024)
        let half = keys.count / 2
        return [Array(keys), Array(keys[half...] + keys[..<half])]
    }

    // MARK: The race

    private static func race(_ lanes: [Lane], _ title: String, _ sequences: [[UInt32]]) {
        var lanes = lanes
        for _ in 0..<runs {
            for index in lanes.indices { lanes[index].run(sequences) }
        }
        func baseline(_ name: String) -> Lane? { lanes.first { $0.name.hasPrefix(name) } }
        func ratios(_ lane: Lane, to other: Lane?) -> String {
            guard let other else { return "–" }
            let alone = other.alone.median / lane.alone.median
            let together = lane.together.median / other.together.median
            return "\(alone.decimal(2))× / \(together.decimal(2))×"
        }
        Table.print(
            title,
            ["", "1 thread, ns", "2 threads, million/s", "of NSCache's speed, 1 / 2", "of Mutex's, 1 / 2"],
            lanes.map { lane in
                [
                    lane.name, lane.alone.text, lane.together.text,
                    ratios(lane, to: baseline(foundation)), ratios(lane, to: baseline(locked)),
                ]
            }
        )
    }
}
