internal import BenchSupport
internal import Glibc

/// Measures the bytes that a warning returns with each allocator, by object size and by the thread that allocated them.
struct Allocators {
    let workbench: Workbench

    private static let runs = 3
    private static let sizes = [1_024, 4_096, 16_384, 1 << 20]
    private static let fillers = ["own", "idle", "busy", "actor"]
    /// The allocators, with the libraries to preload.
    private static let libraries = [
        ("glibc", nil), ("jemalloc", "libjemalloc.so.2"), ("mimalloc", "libmimalloc.so.2"),
        ("tcmalloc", "libtcmalloc_minimal.so.4"),
    ]

    func run() throws {
        var rows: [[String]] = []
        for (name, library) in Self.libraries {
            for size in Self.sizes {
                for filler in Self.fillers {
                    let runs = try (0..<Self.runs).map { _ in try figures(library, size, filler) }
                    rows.append(try Self.row(name, size, filler, runs))
                }
            }
        }
        Table.print(
            "A warning to 200 MB in a cache, by allocator",
            [
                "allocator", "objects of", "allocated by", "dropped MB", "claimed MB", "of dropped returned",
                "of claimed returned", "longest wait for malloc before, ms", "meanwhile",
                "longest turn of the actor, ms",
            ],
            rows
        )
    }

    private func figures(_ library: String?, _ size: Int, _ filler: String) throws -> [UInt64] {
        let line = try workbench.allocatorProbe(library, size, filler).line()
        let words = line.split(separator: " ")
        guard words.count == 9 else { throw Failure(sentence: "allocator-probe said \(line)") }
        let isRecognised = library?.contains(words[0]) ?? (words[0] == "glibc")
        guard isRecognised else { throw Failure(sentence: "\(library ?? "") is not installed; make bench does that") }
        return words.dropFirst().compactMap { UInt64($0) }
    }

    /// The figures of the run whose longest wait is the median, and the median of the actor's longest turns.
    private static func row(_ name: String, _ size: Int, _ filler: String, _ runs: [[UInt64]]) throws -> [String] {
        let sorted = runs.filter { $0.count == 8 }.sorted { $0[5] < $1[5] }
        guard !sorted.isEmpty else { throw Failure(sentence: "allocator-probe said nothing") }
        let figures = sorted[sorted.count / 2].map { Double($0) }
        let fell = figures[2] - figures[3]
        let shares = [figures[0], figures[1]].map { "\((100 * fell / $0).decimal(0)) %" }
        let megabytes = figures[..<2].map { ($0 / 1e6).decimal(0) }
        let turns = runs.compactMap(\.last).sorted()
        let times = [figures[4], figures[5], Double(turns[turns.count / 2])].map { ($0 / 1e6).decimal(1) }
        // Otherwise the actor delivers the warning itself.
        let turn = filler == "actor" ? times[2] : "–"
        return [name, "\(size)", filler] + megabytes + shares + times[..<2] + [turn]
    }
}
