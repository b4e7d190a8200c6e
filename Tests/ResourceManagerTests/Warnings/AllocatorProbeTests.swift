import CLinux
import TestSupport
import Testing

/// A warning in a program that runs with each allocator in turn.
@Suite(.serialized)
struct AllocatorProbeTests {
    enum Preloaded: String, CaseIterable, Sendable {
        case glibc = ""
        case jemalloc = "libjemalloc.so.2"
        case mimalloc = "libmimalloc.so.2"
        case tcmalloc = "libtcmalloc_minimal.so.4"

        /// Whether the machine has the allocator; `make deps` installs it.
        var isInstalled: Bool {
            guard self != .glibc else { return true }
            return ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"].contains {
                access("\($0)/\(rawValue)", R_OK) == 0
            }
        }

        static let installed = allCases.filter(\.isInstalled)
    }

    private struct Outcome {
        let kind: String
        let dropped: Int
        let released: Int
        let fell: Int
    }

    private func warn(_ allocator: Preloaded, _ filler: String) throws -> Outcome {
        let environment = allocator == .glibc ? [:] : ["LD_PRELOAD": allocator.rawValue]
        let probe = try ChildProcess("allocator-probe", ["4096", filler, "100"], environment: environment)
        let line = try #require(probe.line { !$0.isEmpty })
        let figures = line.split(separator: " ")
        try #require(figures.count == 9, "\(line)")
        let numbers = figures.dropFirst().compactMap { Int($0) }
        return Outcome(
            kind: String(figures[0]),
            dropped: numbers[0],
            released: numbers[1],
            fell: max(0, numbers[2] - numbers[3])
        )
    }

    @Test(
        "the allocator is recognised, and at least nine tenths of the bytes that a warning claims return",
        .disabled(if: isUnderThreadSanitizer, "which brings an allocator of its own"),
        arguments: Preloaded.installed
    )
    func returns(_ allocator: Preloaded) throws {
        for filler in ["own", "idle", "busy", "actor"] {
            let outcome = try warn(allocator, filler)
            #expect(outcome.kind == "\(allocator)")
            #expect(outcome.dropped >= 80_000_000)
            #expect(outcome.fell * 10 >= outcome.released * 9, "\(filler): \(outcome)")
            if allocator != .mimalloc { #expect(outcome.released == outcome.dropped) }
        }
    }

    @Test(
        "mimalloc returns memory of the host's actor, and the release does not claim memory of another thread",
        .enabled(if: Preloaded.mimalloc.isInstalled && !isUnderThreadSanitizer)
    )
    func keptByThreads() throws {
        #expect(try warn(.mimalloc, "actor").released >= 30_000_000)
        #expect(try warn(.mimalloc, "idle").released <= 10_000_000)
    }
}
