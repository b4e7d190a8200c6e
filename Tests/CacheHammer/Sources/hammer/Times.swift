import Canaries
import ResourceCaches
import Synchronization

/// A clock that the test advances.
private final class HandClock: Clock {
    struct Instant: InstantProtocol {
        var nanoseconds: Int64

        func advanced(by duration: Duration) -> Self {
            Self(nanoseconds: nanoseconds + Int64(duration / .nanoseconds(1)))
        }

        func duration(to other: Self) -> Duration {
            .nanoseconds(other.nanoseconds - nanoseconds)
        }

        static func < (left: Self, right: Self) -> Bool {
            left.nanoseconds < right.nanoseconds
        }
    }

    private let time = Atomic<Int64>(0)

    var now: Instant { Instant(nanoseconds: time.load(ordering: .acquiring)) }
    let minimumResolution = Duration.nanoseconds(1)

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        fail("a cache slept by its clock")
    }

    func advance(by duration: Duration) {
        time.wrappingAdd(Int64(duration / .nanoseconds(1)), ordering: .acquiringAndReleasing)
    }
}

/// Entries with and without times, many of them expired.
///
/// The cache never returns an expired value.
func times(_ seconds: Double) {
    let keys = 3000
    let clock = HandClock()
    var options = ResourceCache<Int, Canary>.Options()
    options.useClock(clock)
    options.timeToIdle = .seconds(3)
    let cache = ResourceCache<Int, Canary>("times", limit: 2000, options: options)
    let untimed = ResourceCache<Int, Canary>("some with times", limit: 2000)
    // The number of a key's value that is known to have expired. Values with lower numbers may be stored after it, by
    // threads that drew their numbers earlier.
    let ended = (0..<keys).map { _ in Ended() }
    let last = Atomic<Int>(0)
    onThreads(5, for: seconds) { place, chance in
        let key = chance.below(keys)
        switch chance.below(100) {
        case 0..<50:
            let before = ended[key].number.load(ordering: .acquiring)
            guard let value = cache.value(for: key) else { break }
            value.check(key)
            expect(value.number != before, "value \(value.number) of key \(key) was out of date and was handed out")
        case 50..<60:
            untimed.value(for: key)?.check(key)
            _ = (cache.contains(key), cache.peek(key)?.check(key))
        case 60..<85:
            let number = last.wrappingAdd(1, ordering: .relaxed).newValue
            cache.insert(Canary(key: key, number: number), for: key, timeToLive: .seconds(1 + chance.below(5)))
            untimed.insert(
                Canary(key: key, number: number),
                for: key,
                timeToLive: chance.below(2) == 0 ? nil : .nanoseconds(1)
            )
        case 85..<90:
            cache.remove(key)?.check(key)
        case 90..<91:
            cache.trim(toFraction: 0.7)
        case 91..<92 where chance.below(20) == 0:
            // All values that were stored before have expired after this.
            let before = (0..<keys).map { cache.peek($0)?.number ?? 0 }
            clock.advance(by: .seconds(10))
            for (key, number) in before.enumerated() { ended[key].note(number) }
        default:
            if chance.below(50) == 0 { clock.advance(by: .milliseconds(100)) }
            untimed.remove(key)?.check(key)
        }
    }
    clock.advance(by: .seconds(100))
    for key in 0..<keys { expect(cache.value(for: key) == nil, "key \(key) is out of date and is found") }
    expect(cache.count == 0 && cache.totalCost == 0, "\(cache.count) values are out of date and still there")
}

/// The number of an expired value.
private final class Ended: Sendable {
    let number = Atomic<Int>(0)

    func note(_ number: Int) {
        if number > 0 { self.number.store(number, ordering: .releasing) }
    }
}
