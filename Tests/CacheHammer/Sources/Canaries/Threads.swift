internal import CHammer

/// A generator of pseudorandom numbers, which are the same for the same seed.
package struct Chance: RandomNumberGenerator {
    private var state: UInt64

    /// Makes the generator of a seed.
    package init(_ seed: Int) {
        state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15
    }

    /// The next 64 random bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, but not including, a bound.
    @inline(__always)
    package mutating func below(_ bound: Int) -> Int {
        Int(truncatingIfNeeded: next() >> 32) % bound
    }
}

/// A system thread, without Swift's tasks.
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
                // The argument is the work that was passed below.
                work.map { Unmanaged<Work>.fromOpaque($0).takeRetainedValue().body() }
                return nil
            },
            work.toOpaque()
        )
        expect(error == 0, "no thread could be made, with error \(error)")
        self.thread = thread
    }

    /// Waits until the thread has ended.
    ///
    /// Called once.
    package func join() {
        pthread_join(thread, nil)
    }
}

/// Makes threads call `body` repeatedly until the time is up.
///
/// Each thread runs for some tens of milliseconds and ends. Another thread then takes its place.
///
/// - Parameters:
///   - count: The number of threads at a time.
///   - seconds: The time.
///   - body: Called with the number of the thread's place, from 0 on. No other thread has this place at that time.
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
