import Canaries
import ResourceCaches

// hammer [SECONDS]: uses caches from many threads for that time (20 s by default), and checks all values that it finds.
// Ends with status 1 at the first error.

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count <= 1, let seconds = arguments.first.map({ Double($0) }) ?? 20, seconds > 0 else {
    fail("usage: hammer [SECONDS]")
}

/// Runs a part for its share of the time, and checks that it leaves no values behind.
func run(_ name: String, share: Double, _ part: (Double) async -> Void) async {
    let (start, before) = (ContinuousClock.now, Canary.madeCount)
    await part(seconds * share)
    expect(Canary.living == 0, "\(name): \(Canary.living) values have not ended")
    let duration = Double((ContinuousClock.now - start) / .milliseconds(1)) / 1000
    print("\(name): \(Canary.madeCount - before) values, \(duration) s")
}

await run("any change, numbers", share: 0.12) { seconds in
    await mix(seconds, keys: 4096, limit: 40_000, values: Canary.self) { $0 }
}
await run("any change, one bucket's worth of keys", share: 0.08) { seconds in
    await mix(seconds, keys: 8, limit: 150, values: Canary.self) { $0 }
}
await run("any change, strings", share: 0.1) { seconds in
    await mix(seconds, keys: 2048, limit: 20_000, values: Canary.self) { number in
        "resources/pages/of/34/bytes/" + String(number + 100_000)
    }
}
await run("any change, objects as keys", share: 0.1) { seconds in
    await mix(seconds, keys: 2048, limit: 20_000, values: Canary.self) { Name($0) }
}
await run("any change, values of 512 bytes", share: 0.08) { seconds in
    await mix(seconds, keys: 1024, limit: 10_000, values: Block.self) { $0 }
}
await run("any change, values of 8 KiB", share: 0.08) { seconds in
    await mix(seconds, keys: 256, limit: 3000, values: Slab.self) { $0 }
}
await run("keys of a thread's own", share: 0.16) { ownKeys($0) }
await run("growing and shrinking", share: 0.1) { growAndShrink($0) }
await run("times", share: 0.06) { times($0) }
await run("loads by threads", share: 0.04) { loadOnThreads($0) }
await run("loads by tasks", share: 0.04) { await loadInTasks($0) }
await run("warnings", share: 0.04) { warnings($0) }
print("no violations")
