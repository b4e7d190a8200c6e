import CLinux
import TestSupport
import Testing

/// The real kernel reclaims offered memory from a process that sleeps.
@Suite(
    .serialized,
    .enabled(if: RealPressure.missing == nil, "\(RealPressure.missing ?? "")"),
    .disabled(if: isUnderThreadSanitizer, "the thread sanitizer's own memory does not fit into the cgroup")
)
struct RealPurgeTests {
    /// The memory that the process has offered and the kernel has not yet reclaimed, in KiB.
    private func offered(by process: ChildProcess) throws -> Int {
        let file = try #require(fopen("/proc/\(process.pid)/smaps_rollup", "r"))
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, CInt(line.count), file) != nil {
            let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
                .split(separator: " ")
            if words.first == "LazyFree:" { return try #require(Int(words[1])) }
        }
        return try #require(nil, "smaps_rollup has no LazyFree")
    }

    /// Lets the kernel reclaim memory until at most that number of KiB are left.
    ///
    /// Returns how many of the data, each of 1 MiB, are then intact, and how many are lost.
    private func purge(_ mebibytes: Int, until left: (Int) -> Int) throws -> (intact: Int, lost: Int) {
        let group = try PressureGroup("purge", limit: mebibytes + 24)
        let holder = try ChildProcess("purgeable-holder", ["\(mebibytes)"], cgroups: group.directories)
        try #require(holder.line(startingWith: "volatile") != nil)
        let before = try offered(by: holder)
        // The kernel collects some pages before it counts them as offered.
        #expect(before > mebibytes * 1024 - 512)
        let thrash = try group.thrash(seconds: 20)
        var looks = 0
        while looks < 10_000, try offered(by: holder) > left(before) {
            // A look takes at least a millisecond, so this number of looks lasts as long as the pressure.
            _ = thrash.line(within: 0.001) { _ in false }
            looks += 1
        }
        holder.send(SIGUSR1)
        // Otherwise the holder would wait again and again for the pages of its program.
        thrash.send(SIGKILL)
        let answer = try #require(holder.line(startingWith: "intact"))
        _ = thrash.wait()
        let numbers = answer.split(separator: " ").compactMap { Int($0) }
        try #require(numbers.count == 3, "\(answer)")
        #expect(numbers[1] == 0, "data that was taken in part was handed out: \(answer)")
        return (numbers[0], numbers[2])
    }

    @Test("under pressure the kernel reclaims offered pages, while the process does nothing (7.15)")
    func taken() throws {
        let (intact, lost) = try purge(16) { before in before / 16 }
        #expect(intact + lost == 16)
        #expect(lost >= 15)
    }

    @Test("data that the kernel has begun to reclaim is whole or lost (7.15)")
    func takenInPart() throws {
        let (intact, lost) = try purge(64) { before in before - 1 }
        #expect(intact + lost == 64)
        #expect(lost > 0)
    }
}
