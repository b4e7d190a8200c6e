internal import BenchSupport
internal import CBench
internal import ResourceManager
internal import Synchronization

/// Keys that are made before the measurement.
// All types of keys, for example NSString, are immutable.
struct Keys<Key>: @unchecked Sendable {
    let all: [Key]

    /// The keys with these numbers, in that order, since a program has its key at hand when it makes a request.
    func inOrder(_ numbers: [UInt32]) -> Self { Keys(all: numbers.map { all[Int($0)] }) }
}

/// One kind of operation on one cache, with its speed in each run.
struct Lane {
    let name: String
    /// Performs the operations in a range of a thread's sequence.
    private typealias Perform = @Sendable (Range<Int>) -> Void
    /// Makes this closure for the key numbers of a thread's sequence.
    private let prepare: ([UInt32]) -> Perform
    /// The closures, one for each thread.
    private var performs: [Perform] = []
    /// The permitted numbers of threads.
    private let threads: ClosedRange<Int>
    /// The position of each thread in its sequence.
    private var positions = [0, 0]
    /// Nanoseconds per operation on one thread.
    private(set) var alone = Spread()
    /// Millions of operations per second on two threads together.
    private(set) var together = Spread()

    private static let batch = 1_024
    /// The duration of a run: long for the clock, but short enough that the lanes take turns.
    private static let nanoseconds: UInt64 = 25_000_000
    /// The time before a run in which the lane replaces the previous lane's data in the processor's caches.
    private static let warming: UInt64 = 10_000_000

    private init(
        _ name: String,
        threads: ClosedRange<Int>,
        _ prepare: @escaping ([UInt32]) -> Perform
    ) {
        self.name = name
        self.threads = threads
        self.prepare = prepare
    }

    /// Reads present keys repeatedly.
    static func reading<C: Contender>(_ name: String, _ contender: C, _ keys: Keys<C.Key>) -> Lane {
        Lane(name, threads: 1...2) { numbers in
            let asked = keys.inOrder(numbers)
            return { range in
                for index in range { take(contender.value(for: asked.all[index])) }
            }
        }
    }

    /// Nine of ten operations read a present key, and the tenth stores a value for a present key.
    static func mixing<C: Contender>(
        _ name: String,
        _ contender: C,
        _ keys: Keys<C.Key>,
        _ values: [Payload]
    ) -> Lane {
        Lane(name, threads: 1...2) { numbers in
            let asked = keys.inOrder(numbers)
            let stored = numbers.map { values[Int($0)] }
            return { range in
                for index in range {
                    if index % 10 == 0 {
                        contender.insert(stored[index], for: asked.all[index])
                    } else {
                        take(contender.value(for: asked.all[index]))
                    }
                }
            }
        }
    }

    /// Reads present values in place.
    static func lending<Key>(_ name: String, _ contender: Ours<Key>, _ keys: Keys<Key>) -> Lane {
        Lane(name, threads: 1...2) { numbers in
            let asked = keys.inOrder(numbers)
            return { range in
                for index in range {
                    let number = contender.cache.withValue(for: asked.all[index]) { $0.number }
                    bench_use(UnsafeRawPointer(bitPattern: number ?? 0))
                }
            }
        }
    }

    /// Stores absent keys, for which other entries have to leave.
    static func storing<C: Contender>(
        _ name: String,
        _ contender: C,
        _ keys: Keys<C.Key>,
        _ values: [Payload]
    ) -> Lane {
        Lane(name, threads: 1...2) { numbers in
            let asked = keys.inOrder(numbers)
            let stored = numbers.map { values[Int($0)] }
            return { range in
                for index in range { contender.insert(stored[index], for: asked.all[index]) }
            }
        }
    }

    /// Runs once on one thread, then once on two.
    ///
    /// `sequences` have the same length, a whole number of batches.
    mutating func run(_ sequences: [[UInt32]]) {
        if performs.isEmpty { performs = sequences.map(prepare) }
        for count in threads {
            let performs = performs
            let positions = positions
            let length = sequences[0].count
            let parts = Team.run(count) { thread in
                Self.measure(performs[thread], length: length, from: positions[thread])
            }
            for (thread, part) in parts.enumerated() { self.positions[thread] = part.end }
            let rates = parts.map { Double($0.operations) / Double($0.nanoseconds) }
            if count == 1 { alone.add(1 / rates[0]) } else { together.add(1_000 * rates.reduce(0, +)) }
        }
    }

    private typealias Part = (operations: Int, nanoseconds: UInt64, end: Int)

    private static func measure(
        _ perform: Perform,
        length: Int,
        from start: Int
    ) -> Part {
        var part: Part = (0, 0, start)
        let warm = bench_now() + warming
        while bench_now() < warm {
            perform(part.end..<part.end + batch)
            part.end = (part.end + batch) % length
        }
        let end = bench_now() + nanoseconds
        var now = bench_now()
        var preemptions = bench_preemptions()
        repeat {
            perform(part.end..<part.end + batch)
            part.end = (part.end + batch) % length
            let (nowBefore, preemptionsBefore) = (now, preemptions)
            (now, preemptions) = (bench_now(), bench_preemptions())
            // Excludes batches in which the machine did other work. If that were all batches of a run, the last one counts.
            if preemptions == preemptionsBefore || now >= end && part.operations == 0 {
                part.operations += batch
                part.nanoseconds += now - nowBefore
            }
        } while now < end
        return part
    }
}
