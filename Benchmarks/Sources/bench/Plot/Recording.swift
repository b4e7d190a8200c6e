internal import BenchSupport
internal import CBench
internal import Foundation
internal import ResourceManager
internal import Synchronization

/// The course of a service with 800 MB in a cache: it answers requests, receives a warning, and is told of its end.
struct Recording {
    /// The memory at one moment, in bytes.
    struct Sample {
        let seconds: Double
        let resident: UInt64
        let cached: Int
    }

    /// The times at which the memory warning and its end are delivered, in seconds.
    static let warned = 5.0
    static let relieved = 10.0
    static let length = 40.0

    private static let size = 4_000
    private static let entries = 200_000
    /// There are twice as many keys as entries that fit.
    private static let keys = 2 * entries
    private static let requestsEachMillisecond = 100
    private static let milliseconds: CInt = 100

    private(set) var samples: [Sample] = []

    /// Records a run, which takes ``length`` seconds.
    init() throws {
        let cache = ResourceCache<Int, Picture>("bench", limit: Self.entries * Self.size)
        let isOver = Flag()
        let isServing = Flag()
        Thread.detachNewThread { Self.serve(cache, isServing, until: isOver) }
        defer { isOver.set() }
        while !isServing.isSet { try pause(milliseconds: Self.milliseconds) }

        let host = ControllerHost("bench")
        let start = bench_now()
        var toDeliver: [(at: Double, level: PressureLevel)] = [(Self.warned, .warning), (Self.relieved, .normal)]
        while true {
            let seconds = Double(bench_now() - start) / 1e9
            if let next = toDeliver.first, seconds >= next.at {
                toDeliver.removeFirst()
                host.deliver(MemoryWarning(level: next.level, isSimulated: false))
            }
            samples.append(Sample(seconds: seconds, resident: bench_resident(), cached: cache.totalCost))
            guard seconds < Self.length else { return }
            try pause(milliseconds: Self.milliseconds)
        }
    }

    /// Fills the cache, then requests random keys and loads the absent ones.
    private static func serve(_ cache: ResourceCache<Int, Picture>, _ isServing: Flag, until isOver: Flag) {
        var random = SplitMix(seed: 5)
        let popular = Array(0..<keys).shuffled(using: &random)
        var zipf = Zipf(count: keys, seed: 6)
        func request() {
            let key = popular[zipf.next()]
            if cache.value(for: key) == nil { cache.insert(Picture(size), for: key, cost: size) }
        }
        while cache.totalCost < entries * size * 99 / 100 { request() }
        isServing.set()
        while !isOver.isSet {
            for _ in 0..<requestsEachMillisecond { request() }
            usleep(1_000)
        }
    }
}

/// A cached value.
private final class Picture: Sendable {
    private let pixels: [UInt8]

    init(_ count: Int) {
        pixels = [UInt8](repeating: 1, count: count)
    }
}

/// A flag that one thread sets once for another.
private final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .acquiring) }

    func set() {
        value.store(true, ordering: .releasing)
    }
}
