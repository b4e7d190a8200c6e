internal import BenchSupport
internal import Glibc
internal import ResourceManager

/// Counts the loads of a cache's users after a warning, and without one.
struct Reloads {
    private enum Event: CaseIterable {
        case none
        case warning
        case critical
        case clear

        /// Applies the event to a cache, the only one in the process.
        func happen(to cache: ResourceCache<UInt32, Int>) {
            switch self {
            case .none: break
            case .warning: ControllerHost("bench").simulateMemoryWarning()
            case .critical: ControllerHost("bench").simulateMemoryWarning(.critical)
            case .clear: cache.removeAll()
            }
        }
    }

    private typealias Loads = (next: Int, toEnd: Int)

    func run() throws {
        var rows = [Self.row("zipf 0.99", Self.zipf(), size: 100_000)]
        let folder = getenv("TRACES").map { String(cString: $0) } ?? ""
        let names = folder.isEmpty ? nil : try? Trace.names(in: folder)
        for (name, size) in Self.sizes where names?.contains(name) ?? false {
            rows.append(Self.row(name, try Trace(name, in: folder).requests, size: size))
        }
        Table.print(
            "Loads in the 1000 requests after a warning",
            [
                "requests", "entries", "no warning", "warning", "critical", "clear all", "warning over none",
                "more until the end: warning", "clear all",
            ],
            rows,
            note: names == nil ? "Traces were skipped, since TRACES names no folder that can be read." : nil
        )
    }

    private static let sizes = [
        ("OLTP", 5_000), ("web07", 2_000), ("w106", 4_000), ("adaptsize-req", 4_000), ("orm-busy", 2_000),
    ]

    private static func zipf() -> [UInt32] {
        var zipf = Zipf(count: 400_000, seed: 3)
        return (0..<1_000_000).map { _ in UInt32(zipf.next()) }
    }

    private static func row(_ name: String, _ requests: [UInt32], size: Int) -> [String] {
        let loads = Event.allCases.map { play(requests, size: size, $0) }
        let ratio = Double(loads[1].next) / Double(loads[0].next)
        return [name, "\(size)"] + loads.map { "\($0.next)" }
            + ["\(ratio.decimal(2))×", "\(loads[1].toEnd - loads[0].toEnd)", "\(loads[3].toEnd - loads[0].toEnd)"]
    }

    /// Plays the first half of the requests, applies the event, and counts the loads of the second half.
    private static func play(_ requests: [UInt32], size: Int, _ event: Event) -> Loads {
        let cache = ResourceCache<UInt32, Int>("bench", limit: size)
        let middle = requests.count / 2
        _ = loads(requests[..<middle], cache)
        event.happen(to: cache)
        let next = loads(requests[middle..<min(middle + 1_000, requests.count)], cache)
        return (next, next + loads(requests.dropFirst(middle + 1_000), cache))
    }

    private static func loads(_ requests: ArraySlice<UInt32>, _ cache: ResourceCache<UInt32, Int>) -> Int {
        var loads = 0
        for id in requests where cache.value(for: id) == nil {
            cache.insert(Int(id), for: id, cost: 1)
            loads += 1
        }
        return loads
    }
}
