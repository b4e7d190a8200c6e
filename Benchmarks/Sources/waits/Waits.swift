internal import BenchSupport
internal import CBench
internal import Glibc
internal import ResourceManager
internal import Synchronization

/// Measures the duration of one thread's calls beside another thread's long change: `waits [ENTRIES]`, by default with
/// 3 200 000, and then of a cache with a thousandth of as many values of 64 KiB.
///
/// Each row is the median of three runs, since the machine occasionally stops a thread for milliseconds. For
/// comparison, a thread that calls nothing is measured beside the calls; and in the last row, two threads that share
/// only a lock of the standard library. Prints a table in Markdown. `docs/BENCHMARKS.md` describes its contents.
@main
struct Waits {
    private static let runs = 3

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        let entries = arguments.first.map { Int($0) } ?? 3_200_000
        guard let entries, entries > 0, arguments.count <= 1 else {
            complain("usage: waits [ENTRIES]")
            exit(2)
        }
        let control = (0..<runs).map { _ in LockAlone().run() }
        Table.print(
            "Calls beside a long change of \(entries) entries",
            Run.heads,
            rows(of: entries) { $0 } + [
                ["lock and unlock a `Mutex`", "a thread that has it for 50 µs at a time"] + Run.figures(of: control)
            ]
        )
        let large = max(1, entries / 1000)
        Table.print(
            "Calls beside a long change of \(large) entries of 64 KiB",
            Run.heads,
            rows(of: large) { InlineArray<512, SIMD16<UInt64>>(repeating: SIMD16(repeating: UInt64($0))) }
        )
    }

    private static func rows<Value: Sendable>(
        of entries: Int,
        _ value: @escaping @Sendable (Int) -> Value
    ) -> [[String]] {
        LongChange.allCases.flatMap { change in
            Call.allCases.map { call in
                let runs = (0..<runs).map { _ in Stage(entries: entries, value).run(change, call) }
                return [call.rawValue, change.rawValue] + Run.figures(of: runs)
            }
        }
    }
}

/// The call that one thread makes all the time.
private enum Call: String, CaseIterable {
    case nothing, hit, insert, load
}

/// The change that the other thread makes once.
private enum LongChange: String, CaseIterable {
    case growth, removeAll, trim, limit, warning
}

/// The figures of one run.
private struct Run {
    /// The duration of the long change, in nanoseconds.
    let duration: UInt64
    let calls: Measured

    static let heads = [
        "calls", "beside", "time of that, ms", "number of calls", "longest, processor time, ms",
        "longest not preempted, ms",
        "p99.9, ms", "longest, ms",
    ]

    /// The median of each figure.
    ///
    /// Times are in milliseconds, with the largest in brackets.
    static func figures(of runs: [Run]) -> [String] {
        func sorted(_ figure: (Run) -> UInt64) -> [UInt64] { runs.map(figure).sorted() }
        func milliseconds(_ figure: (Run) -> UInt64) -> String {
            let all = sorted(figure).map { (Double($0) / 1_000_000).decimal(2) }
            return "\(all[runs.count / 2]) (\(all[runs.count - 1]))"
        }
        return [
            "\(sorted(\.duration)[runs.count / 2] / 1_000_000)", "\(runs.map(\.calls.count).sorted()[runs.count / 2])",
            milliseconds(\.calls.longestProcessorTime), milliseconds(\.calls.longestUndisturbed),
            milliseconds(\.calls.p999), milliseconds(\.calls.longest),
        ]
    }
}

/// One cache, one long change and one thread beside it.
private final class Stage<Value: Sendable>: Sendable {
    private let entries: Int
    private let cache: ResourceCache<Int, Value>
    private let value: @Sendable (Int) -> Value
    private let isRunning = Atomic(true)
    private let hasBegun = Atomic(false)

    init(entries: Int, _ value: @escaping @Sendable (Int) -> Value) {
        self.entries = entries
        self.value = value
        cache = ResourceCache("waits")
    }

    func run(_ change: LongChange, _ call: Call) -> Run {
        if change != .growth { fill() }
        let measured = Mutex<Measured?>(nil)
        let thread = Thread {
            let result = self.callAllTheTime(call)
            measured.withLock { $0 = result }
        }
        while !hasBegun.load(ordering: .acquiring) { usleep(100) }
        let start = bench_now()
        perform(change)
        let duration = bench_now() - start
        isRunning.store(false, ordering: .relaxed)
        thread.join()
        // The thread has stored its figures and ended.
        return Run(duration: duration, calls: measured.withLock(\.self).unsafelyUnwrapped)
    }

    private func fill() {
        for number in 0..<entries { cache.insert(value(number), for: number) }
    }

    private func perform(_ change: LongChange) {
        switch change {
        case .growth: fill()
        case .removeAll: cache.removeAll()
        case .trim: cache.trim(toFraction: 0.1)
        case .limit: cache.limit = entries / 10
        case .warning: _ = ControllerHost("waits").simulateMemoryWarning(.critical)
        }
    }

    private func callAllTheTime(_ call: Call) -> Measured {
        var random = SplitMix(seed: 3)
        var measured = Measured()
        // Uses keys of its own, so that each insertion is of a new key.
        var next = 2 * entries
        hasBegun.store(true, ordering: .releasing)
        while isRunning.load(ordering: .relaxed) {
            let key = Int(random.next() % UInt64(entries))
            next += 1
            measured.add {
                switch call {
                case .nothing: break
                case .hit: _ = cache.value(for: key)
                case .insert: cache.insert(value(next), for: next)
                case .load: _ = cache.value(for: next, orLoad: { value(next) })
                }
            }
        }
        return measured
    }
}

/// A lock that one thread holds for 50 µs at a time, as a long change holds a cache's lock, while another thread takes
/// it repeatedly.
private final class LockAlone: Sendable {
    private let lock = Mutex(0)
    private let isRunning = Atomic(true)
    private let duration: UInt64 = 10_000_000_000

    func run() -> Run {
        let holder = Thread {
            while self.isRunning.load(ordering: .relaxed) {
                self.lock.withLock { count in
                    let end = bench_now() + 50_000
                    while bench_now() < end { count += 1 }
                }
                // Lets the other thread take the lock in turn, as `LockWord` does.
                usleep(50)
            }
        }
        var measured = Measured()
        let end = bench_now() + duration
        while bench_now() < end { measured.add { lock.withLock { $0 += 1 } } }
        isRunning.store(false, ordering: .relaxed)
        holder.join()
        return Run(duration: duration, calls: measured)
    }
}

/// The times of calls, in nanoseconds.
private struct Measured {
    private(set) var count = 0
    private(set) var longest: UInt64 = 0
    /// The longest of the calls during which the thread kept its processor.
    private(set) var longestUndisturbed: UInt64 = 0
    private(set) var longestProcessorTime: UInt64 = 0
    /// The number of calls by their duration in whole microseconds.
    ///
    /// The last element also counts longer calls.
    private var counts = Array(repeating: 0, count: 100_000)

    mutating func add(_ call: () -> Void) {
        let preemptions = bench_preemptions()
        let processor = bench_processor_time()
        let start = bench_now()
        call()
        let time = bench_now() - start
        // A virtual machine's kernel may charge a call for time that the hypervisor took earlier, so the elapsed time
        // is the maximum.
        let spent = min(bench_processor_time() - processor, time)
        count += 1
        counts[min(Int(time / 1000), counts.count - 1)] += 1
        longest = max(longest, time)
        longestProcessorTime = max(longestProcessorTime, spent)
        if time > longestUndisturbed, bench_preemptions() == preemptions { longestUndisturbed = time }
    }

    /// The time that 99.9 % of the calls did not exceed.
    var p999: UInt64 {
        var rest = count / 1000
        for microseconds in counts.indices.reversed() {
            rest -= counts[microseconds]
            if rest < 0 { return UInt64(microseconds + 1) * 1000 }
        }
        return 0
    }
}

/// A thread that can be joined.
private final class Thread {
    private var thread = pthread_t()

    init(_ body: @escaping @Sendable () -> Void) {
        let context = Unmanaged.passRetained(Body(run: body))
        let failure = pthread_create(
            &thread,
            nil,
            { context in
                // The thread was given a reference above.
                if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
                return nil
            },
            context.toOpaque()
        )
        precondition(failure == 0, "no thread can be made: errno \(failure)")
    }

    func join() {
        pthread_join(thread, nil)
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
