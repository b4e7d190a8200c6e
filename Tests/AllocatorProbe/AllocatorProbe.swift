// Warns a service once, and measures how much of its cache of equal-sized objects the process's allocator returns.
//
// allocator-probe BYTES own|idle|busy|actor [MEGABYTES]: the objects' size, the thread that allocated them, and the total (200)
//
//   own    the thread that frees them
//   idle   another thread, which waits
//   busy   another thread, which allocates and frees 4000 bytes at a time during the warning
//   actor  the host's actor, which has a thread of its own; the reclaimer's thread frees them, as in a host that runs
//
// Prints on one line: the allocator, the bytes dropped, the bytes that the host reports as released, the resident bytes before and
// after, and, in nanoseconds, the longest malloc or free of the thread that continues to allocate, before and during the warning,
// the time of the delivery, and the longest time for which the actor was busy without a break. A call of malloc or a turn of the
// actor does not count if the scheduler gave the thread's processor to another thread during it: with more threads than processors
// that takes milliseconds in any code.
import CLinux
import ResourceCaches
import ResourceManager
import Synchronization

func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Keeps the longest of the durations that it is given.
final class Longest: Sendable {
    private let nanoseconds = Atomic<UInt64>(0)

    func note(_ time: UInt64) {
        nanoseconds.max(time, ordering: .relaxed)
    }

    func take() -> UInt64 { nanoseconds.exchange(0, ordering: .relaxed) }
}

/// How often the scheduler has taken the processor from the calling thread.
func preemptions() -> Int {
    var usage = rusage()
    // RUSAGE_THREAD, which the C library declares for GNU's dialect only.
    getrusage(1, &usage)
    return usage.ru_nivcsw
}

/// Makes a call, and notes its time unless the scheduler has interrupted it.
func time(_ call: () -> Void, noting longest: Longest) {
    let before = preemptions()
    let start = now()
    call()
    let time = now() - start
    if preemptions() == before { longest.note(time) }
}

/// Allocates and frees for ever.
///
/// More blocks than an allocator caches for a thread, so that it needs the state that threads share.
func allocate(noting waits: Longest) -> Never {
    var blocks: [UnsafeMutableRawPointer?] = Array(repeating: nil, count: 512)
    while true {
        for index in blocks.indices {
            time({ blocks[index] = malloc(4_000) }, noting: waits)
            // Otherwise the optimiser would remove the block.
            blocks[index]?.storeBytes(of: 1, as: UInt8.self)
        }
        for index in blocks.indices { time({ free(blocks[index]) }, noting: waits) }
    }
}

/// A counter on which a thread waits.
final class Arrivals: Sendable {
    private let ends: (taken: CInt, put: CInt)

    init() {
        var ends: [CInt] = [0, 0]
        guard pipe(&ends) == 0 else { exit(EX_OSERR) }
        self.ends = (ends[0], ends[1])
    }

    func put() { _ = write(ends.put, "x", 1) }

    func take() {
        var byte: UInt8 = 0
        while read(ends.taken, &byte, 1) != 1 {}
    }
}

/// Runs an actor on a thread of its own, unlike the main actor on Linux.
final class OwnThread: SerialExecutor {
    /// The actor's turns.
    let turns = Longest()
    private let jobs = Guarded<[UnownedJob]>([])
    private let arrivals = Arrivals()

    func start() -> CInt {
        startDetachedThread { [self] in
            while true {
                arrivals.take()
                let job = jobs.withLock { $0.removeFirst() }
                time({ job.runSynchronously(on: asUnownedSerialExecutor()) }, noting: turns)
            }
        }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        arrivals.put()
    }
}

enum Filler: String { case own, idle, busy, actor }

/// The host, and the other work of its actor.
actor Service {
    nonisolated let thread = OwnThread()
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }
    private let host = ControllerHost("probe")

    func perform(_ work: () -> Void) { work() }

    func warn() async -> MemoryRelease { await host.deliverWithoutBlocking(MemoryWarning(level: .critical)) }

    /// For comparison: if its own thread delivers the warning, the actor is busy for the whole time.
    func warnSelf() -> MemoryRelease { host.simulateMemoryWarning(.critical) }

    /// Runs each time the actor has no other work, until the task is cancelled.
    ///
    /// mimalloc returns some of the memory that a thread has collected only when the thread allocates again.
    func tick() async {
        while !Task.isCancelled { await Task.yield() }
    }
}

@main
enum AllocatorProbe {
    static func main() async {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count >= 2, let size = arguments.first.flatMap({ Int($0) }), size > 0,
            let filler = Filler(rawValue: arguments[2])
        else {
            print("usage: allocator-probe BYTES own|idle|busy|actor [MEGABYTES]")
            exit(EX_USAGE)
        }
        let total = (arguments.count > 2 ? Int(arguments[3]) ?? 200 : 200) * 1_000_000
        let cache = ResourceCache<Int, [UInt8]>("probe")
        let waits = Longest()

        let fill: @Sendable () -> Void = {
            for key in 0..<total / size { cache.insert([UInt8](repeating: 1, count: size), for: key, cost: size) }
        }

        let service = Service()
        guard service.thread.start() == 0 else { exit(EX_OSERR) }
        switch filler {
        case .own, .actor:
            await service.perform(fill)
        case .idle, .busy:
            let filled = Arrivals()
            let started = startDetachedThread {
                fill()
                filled.put()
                if filler == .busy { allocate(noting: waits) }
                while true { pause() }
            }
            guard started == 0 else { exit(EX_OSERR) }
            filled.take()
        }
        if filler != .busy {
            guard startDetachedThread({ allocate(noting: waits) }) == 0 else { exit(EX_OSERR) }
        }

        // The wait when nothing happens; both figures contain the scheduler's part of it.
        usleep(100_000)
        _ = waits.take()
        usleep(200_000)
        let waitBefore = waits.take()

        let held = cache.totalCost
        let ticker = Task { await service.tick() }
        _ = service.thread.turns.take()
        let start = now()
        let release = filler == .actor ? await service.warn() : await service.warnSelf()
        let duration = now() - start
        ticker.cancel()
        await ticker.value
        // The thread notes a turn when it has ended, which may be after the delivery has returned to this task.
        await service.perform { @Sendable in }
        let figures =
            [UInt64(held - cache.totalCost), release.released, release.residentBefore, release.residentAfter]
            + [waitBefore, waits.take(), duration, service.thread.turns.take()]
        print("\(Allocator.current.kind)", figures.map(String.init).joined(separator: " "))
    }
}
