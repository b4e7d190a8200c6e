internal import CBench
internal import Glibc
internal import ResourceManager

/// A service that holds 800 MB in a cache, and reports the effects of a warning.
///
/// `cachehost BYTES [SOCKET]` fills its cache with objects of BYTES bytes. Without a socket it then warns itself. With
/// a socket it registers with that daemon, prints "ready" and waits for a warning. It prints, on one line: the bytes
/// that the cache counts as dropped, the resident bytes before and after, the longest wait for malloc(3) in another
/// thread before and during the delivery, and the duration of the delivery; times in nanoseconds.
@main
struct CacheHost {
    private static let total = 800_000_000

    static func main() async throws {
        bench_die_with_parent()
        let arguments = CommandLine.arguments.dropFirst()
        guard let size = arguments.first.flatMap({ Int($0) }) else { fatalError("usage: cachehost BYTES [SOCKET]") }
        let cache = ResourceCache<Int, Blob>("bench", limit: 2 * total)
        let worker = Worker()
        worker.start { for key in 0..<total / size { cache.insert(Blob(size), for: key, cost: size) } }
        let host = ControllerHost("cachehost", options: .init(socket: arguments.dropFirst().first))
        let observer = Observer(cache, worker)
        host.delegate = observer
        worker.waitUntilFilled()
        // Measures the waits while nothing happens. Both figures contain the scheduler's part.
        try await Task.sleep(for: .milliseconds(200))

        if arguments.count == 1 {
            host.simulateMemoryWarning()
        } else {
            let registration = host.onOriginChange { origin in
                if case .daemon = origin { say("ready") }
            }
            try await host.run()
            withExtendedLifetime(registration) {}
        }
        withExtendedLifetime(observer) {}
    }
}

/// An array in an object, as many services have after decoding.
final class Blob: Sendable {
    private let bytes: [UInt8]

    init(_ count: Int) {
        bytes = [UInt8](repeating: 1, count: count)
    }
}

/// Measures right before the warning is delivered, and right after the service has handled it.
private final class Observer: ControllerHostDelegate {
    private let cache: ResourceCache<Int, Blob>
    private let worker: Worker
    private var cost = 0
    private var resident: UInt64 = 0
    private var waitBefore: UInt64 = 0
    private var start: UInt64 = 0

    init(_ cache: ResourceCache<Int, Blob>, _ worker: Worker) {
        self.cache = cache
        self.worker = worker
    }

    func controllerHost(_ host: ControllerHost, didReceiveMemoryWarning warning: MemoryWarning) {
        cost = cache.totalCost
        resident = bench_resident()
        waitBefore = worker.takeLongestWait()
        start = bench_now()
    }

    func controllerHost(_ host: ControllerHost, didRelease release: MemoryRelease, for warning: MemoryWarning) {
        let duration = bench_now() - start
        let wait = worker.takeLongestWait()
        say("\(cost - cache.totalCost) \(resident) \(bench_resident()) \(waitBefore) \(wait) \(duration)")
    }
}

private func say(_ line: String) {
    print(line)
    fflush(nil)
}
