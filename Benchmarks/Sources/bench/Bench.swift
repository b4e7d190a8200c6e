internal import BenchSupport
internal import CBench
internal import Foundation
internal import Glibc

/// The benchmarks: `bench PROGRAMS [PART…]`, where PROGRAMS is the directory with memwarnd, thrash and allocator-probe.
///
/// Prints tables in Markdown. `bench plot FILE.svg` draws a service's memory over a warning instead.
/// `docs/BENCHMARKS.md` describes the measurements.
@main
struct Bench {
    private static let parts: [(name: String, run: @Sendable (Workbench) throws -> Void)] = [
        ("view", { _ in ViewAccess().run() }),
        ("controllers", { _ in Controllers().run() }),
        ("caches", { _ in Caches().run() }),
        ("pressure", { try Pressure(workbench: $0).run() }),
        ("allocators", { try Allocators(workbench: $0).run() }),
        ("memory", { try Footprint(workbench: $0).memory() }),
        ("broadcast", { try Broadcast(workbench: $0).run() }),
        ("kernel", { try KernelEvent(workbench: $0).run() }),
        ("idle", { try Footprint(workbench: $0).idle() }),
    ]

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        bench_raise_descriptor_limit()
        bench_catch_interrupts()
        if arguments.first == "plot", arguments.count == 2, let file = arguments.last { exit(plot(file)) }
        let known = parts.map(\.name)
        guard let programs = arguments.first, arguments.dropFirst().allSatisfy(known.contains) else {
            complain("usage: bench PROGRAMS [\(known.joined(separator: "|"))]...\n       bench plot FILE.svg")
            exit(2)
        }
        exit(measure(programs, Set(arguments.dropFirst())))
    }

    /// Ends by returning, so that everything that was made is cleaned up.
    private static func measure(_ programs: String, _ chosen: Set<String>) -> CInt {
        var log = ""
        do {
            let workbench = try Workbench(daemonPrograms: programs)
            defer { log = workbench.log }
            for part in parts where chosen.isEmpty || chosen.contains(part.name) { try part.run(workbench) }
            return 0
        } catch {
            complain("bench: \(error)")
            if !log.isEmpty { complain("the daemon's log ends:\n\(log.suffix(2_000))") }
            return 1
        }
    }

    private static func plot(_ file: String) -> CInt {
        do {
            try Plot.svg(of: Recording()).write(toFile: file, atomically: true, encoding: .utf8)
            return 0
        } catch {
            complain("bench: \(error)")
            return 1
        }
    }
}
