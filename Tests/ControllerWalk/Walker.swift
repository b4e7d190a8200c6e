import ResourceManager

/// Walks of many seeds, one after the other.
package enum Walker {
    /// How many operations a walk begins with from outside.
    package static let steps = 200

    /// Walks each seed.
    ///
    /// - Returns: What was done; and for each walk that failed, what failed, for the first ones with a walk as small as can be
    ///   and a test that walks it again.
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

    /// Leaves operations out as long as the walk still fails: halves, then quarters, down to single ones.
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
