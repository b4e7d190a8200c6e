internal import BenchSupport
internal import CBench
internal import ResourceManager
internal import Synchronization

/// Keys that were made before anything is measured.
// Whatever a key is, NSString for example, it is immutable.
struct Keys<Key>: @unchecked Sendable {
    let all: [Key]
}

/// One kind of operation on one cache, and how fast it was in each run.
struct Lane {
    let name: String
    /// Does the operations with the numbers in a range of a thread's sequence of keys.
    private let perform: @Sendable ([UInt32], Range<Int>) -> Void
    /// How many threads may do so at once.
    private let threads: ClosedRange<Int>
    /// Where each thread goes on in its sequence.
    private var positions = [0, 0]
    /// Nanoseconds of one operation on one thread.
    private(set) var alone = Spread()
    /// Millions of operations in a second, of two threads together.
    private(set) var together = Spread()

    private static let batch = 1_024
    /// Of a run on one number of threads; long for the clock, and short enough that the lanes take turns.
    private static let nanoseconds: UInt64 = 25_000_000
    /// Before it, so that the processor's caches hold what this lane uses and not what the one before it did.
    private static let warming: UInt64 = 10_000_000

    private init(
        _ name: String,
        threads: ClosedRange<Int>,
        _ perform: @escaping @Sendable ([UInt32], Range<Int>) -> Void
    ) {
        self.name = name
        self.threads = threads
        self.perform = perform
    }

    /// Reading what is there, and going on with it.
    static func reading<C: Contender>(_ name: String, _ contender: C, _ keys: Keys<C.Key>) -> Lane {
        Lane(name, threads: 1...2) { sequence, range in
            for index in range { take(contender.value(for: keys.all[Int(sequence[index])])) }
        }
    }

    /// Of ten operations nine are reads of what is there, and one stores anew what is there.
    static func mixing<C: Contender>(
        _ name: String,
        _ contender: C,
        _ keys: Keys<C.Key>,
        _ values: [Payload]
    ) -> Lane {
        Lane(name, threads: 1...2) { sequence, range in
            for index in range {
                let number = Int(sequence[index])
                if index % 10 == 0 {
                    contender.insert(values[number], for: keys.all[number])
                } else {
                    take(contender.value(for: keys.all[number]))
                }
            }
        }
    }

    /// Looking at what is there, and leaving it where it is.
    static func lending<Key>(_ name: String, _ contender: Ours<Key>, _ keys: Keys<Key>) -> Lane {
        Lane(name, threads: 1...2) { sequence, range in
            for index in range {
                let number = contender.cache.withValue(for: keys.all[Int(sequence[index])]) { $0.number }
                bench_use(UnsafeRawPointer(bitPattern: number ?? 0))
            }
        }
    }

    /// Storing what is not there, for which something else has to go.
    static func storing<C: Contender>(
        _ name: String,
        _ contender: C,
        _ keys: Keys<C.Key>,
        _ values: [Payload]
    ) -> Lane {
        Lane(name, threads: 1...2) { sequence, range in
            for index in range {
                let number = Int(sequence[index])
                contender.insert(values[number], for: keys.all[number])
            }
        }
    }

    /// Runs once on one thread, then once on two, in `sequences` of keys of one length, a whole number of batches.
    mutating func run(_ sequences: [[UInt32]]) {
        for count in threads {
            let perform = perform
            let positions = positions
            let parts = Team.run(count) { thread in
                Self.measure(sequences[thread], from: positions[thread], perform)
            }
            for (thread, part) in parts.enumerated() { self.positions[thread] = part.end }
            let rates = parts.map { Double($0.operations) / Double($0.nanoseconds) }
            if count == 1 { alone.add(1 / rates[0]) } else { together.add(1_000 * rates.reduce(0, +)) }
        }
    }

    private typealias Part = (operations: Int, nanoseconds: UInt64, end: Int)

    private static func measure(
        _ sequence: [UInt32],
        from start: Int,
        _ perform: @Sendable ([UInt32], Range<Int>) -> Void
    ) -> Part {
        var part: Part = (0, 0, start)
        let warm = bench_now() + warming
        while bench_now() < warm {
            perform(sequence, part.end..<part.end + batch)
            part.end = (part.end + batch) % sequence.count
        }
        let end = bench_now() + nanoseconds
        var now = bench_now()
        var preemptions = bench_preemptions()
        repeat {
            perform(sequence, part.end..<part.end + batch)
            part.end = (part.end + batch) % sequence.count
            let (nowBefore, preemptionsBefore) = (now, preemptions)
            (now, preemptions) = (bench_now(), bench_preemptions())
            // What else the machine does is not the cache's. Of a run that was never left alone, the last batch counts.
            if preemptions == preemptionsBefore || now >= end && part.operations == 0 {
                part.operations += batch
                part.nanoseconds += now - nowBefore
            }
        } while now < end
        return part
    }
}
