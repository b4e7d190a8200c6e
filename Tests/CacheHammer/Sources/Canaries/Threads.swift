internal import CHammer

/// Numbers that look like chance, the same ones for the same seed.
package struct Chance: RandomNumberGenerator {
    private var state: UInt64

    /// Begins at a seed.
    package init(_ seed: Int) {
        state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15
    }

    /// The next 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 on, below a bound.
    @inline(__always)
    package mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: next() >> 32) % bound
    }
}

/// A thread of the system's, with nothing of Swift's tasks between.
package struct SystemThread: Sendable {
    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    private let thread: pthread_t

    /// Starts a thread.
    package init(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let work = Unmanaged.passRetained(Work(body))
        let error = pthread_create(
            &thread,
            nil,
            { work in
                // It was made above.
                work.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().body() }
                return nil
            },
            work.toOpaque()
        )
        expect(error == 0, "no thread could be made, with error \(error)")
        self.thread = thread
    }

    /// Waits until it has ended; called once.
    package func join() {
        pthread_join(thread, nil)
    }
}

/// Has threads do something over and over until the time is up.
///
/// They come and go: each does it for some ten milliseconds
/// and ends, and others take their places.
///
/// - Parameters:
///   - count: How many threads there are at once.
///   - seconds: How long.
///   - body: Called with the number of the thread's place, from 0 on, which no other thread has at that time.
package func onThreads(_ count: Int, for seconds: Double, _ body: @escaping @Sendable (Int, inout Chance) -> Void) {
    let end = ContinuousClock.now + .seconds(seconds)
    let places = (0..<count).map { place in
        SystemThread {
            var round = 0
            while ContinuousClock.now < end {
                round += 1
                let seed = place * 1_000_003 + round
                SystemThread {
                    var chance = Chance(seed)
                    let moment = min(end, .now + .milliseconds(10 + 7 * place))
                    while ContinuousClock.now < moment { for _ in 0..<16 { body(place, &chance) } }
                }.join()
            }
        }
    }
    for place in places { place.join() }
}
