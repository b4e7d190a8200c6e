import ResourceManager

/// Runs the walks of many seeds, one after the other.
package enum Walker {
    /// The number of operations that a walk calls from outside.
    package static let steps = 200

    /// Runs the walk of each seed.
    ///
    /// - Returns: The counts, and a description of each walk that failed. For the first ones it contains a minimised
    ///   walk and a test that repeats it.
    package static func walk(
        seeds: Range<UInt64>,
        isReentrant: Bool,
        minimised count: Int = 3
    ) -> (Tally, failures: [String]) {
        var tally = Tally()
        var failures: [String] = []
        for seed in seeds {
            let walk = Walk(seed: seed, isReentrant: isReentrant)
            walk.run(steps)
            tally.add(walk.tally)
            guard let failure = walk.failure else { continue }
            let isSmall = failures.count < count
            failures.append(
                isSmall ? minimised(seed, isReentrant: isReentrant, walk.paths) : "seed \(seed): \(failure)"
            )
        }
        return (tally, failures)
    }

    /// Removes operations while the walk still fails: halves, then quarters, down to single operations.
    private static func minimised(_ seed: UInt64, isReentrant: Bool, _ paths: [[Int]]) -> String {
        var kept = paths
        var part = max(1, kept.count / 2)
        var runs = 0
        while part > 0, runs < 2_000 {
            var start = 0
            var isSmaller = false
            while start < kept.count, runs < 2_000 {
                var fewer = kept
                fewer.removeSubrange(start..<min(start + part, kept.count))
                let walk = Walk(seed: seed, isReentrant: isReentrant, kept: Set(fewer))
                walk.run(steps)
                runs += 1
                if walk.failure != nil {
                    kept = walk.paths
                    isSmaller = true
                } else {
                    start += part
                }
            }
            if part == 1, isSmaller { continue }
            part /= 2
        }
        let walk = Walk(seed: seed, isReentrant: isReentrant, kept: Set(kept), isLogging: true)
        walk.run(steps)
        return """
            seed \(seed), minimised: \(walk.failure ?? "")
            \(walk.log.joined(separator: "\n"))
                @Test("seed \(seed) keeps the rules")
                func seed\(seed)() {
                    let walk = Walk(seed: \(seed), isReentrant: \(isReentrant), kept: \(kept))
                    walk.run(Walker.steps)
                    #expect(walk.failure == nil)
                }
            """
    }
}
