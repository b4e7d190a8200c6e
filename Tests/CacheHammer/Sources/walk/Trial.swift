import Canaries
import ResourceCaches

/// A key that chooses its bucket.
struct Key: Hashable, Sendable {
    private let bits: UInt32

    /// - Parameters:
    ///   - bucket: The low bits of the key's hash.
    ///   - number: Tells it from others of that bucket; below 255.
    init(_ bucket: Int, _ number: Int = 0) {
        bits = UInt32(number + 1) << 24 | UInt32(bucket)
    }

    /// What the key's values say that they belong to.
    var number: Int { Int(bits) }

    /// What a cache makes these bits of: it multiplies a hash, folded, by an odd number, and takes the upper half.
    var hashValue: Int {
        // The number's inverse.
        let folded = (UInt64(bits) << 32) &* 0xF1DE_83E1_9937_733D
        return Int(bitPattern: UInt(folded ^ folded >> 32))
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(bits)
    }
}

/// A value of more than 32 KiB, of which a cache keeps 16 together.
struct Wide: CheckedValue {
    private let canary: Canary
    private let words: InlineArray<4200, UInt64>

    init(key: Int, number: Int) {
        canary = Canary(key: key, number: number)
        words = InlineArray(repeating: UInt64(key &+ number))
    }

    var number: Int { canary.number }

    func check(_ key: Int) {
        canary.check(key)
        let word = UInt64(key &+ number)
        expect(words[0] == word && words[4199] == word, "the value of key \(key) is made of two values")
    }
}

typealias Cache<Value: CheckedValue> = ResourceCache<Key, Value>

extension ResourceCache where Key == walk.Key, Value: CheckedValue {
    /// Stores a value, which costs 1.
    func put(_ key: Key, _ number: Int = 1, _ priority: CachePriority? = nil) {
        insert(Value(key: key.number, number: number), for: key, priority: priority)
    }

    /// The number of a key's value, 0 for none.
    func get(_ key: Key) -> Int {
        guard let value = value(for: key) else { return 0 }
        value.check(key.number)
        return value.number
    }

    func take(_ key: Key) -> Int {
        guard let value = remove(key) else { return 0 }
        value.check(key.number)
        return value.number
    }

    /// The number of a key's value, 0 for none; changes nothing.
    func look(_ key: Key) -> Int { peek(key)?.number ?? 0 }
}

/// What some threads found.
// `@unchecked`: each thread has a place of its own, and one runs at a time.
final class Findings: @unchecked Sendable {
    private var numbers = [Int](repeating: -1, count: 4)

    subscript(place: Int) -> Int {
        get { numbers[place] }
        set { numbers[place] = newValue }
    }
}

/// What is run in all orders.
struct Trial {
    /// Each on a thread of its own.
    var bodies: [@Sendable () -> Void]
    /// Called after they have ended.
    var check: () -> Void
}

/// Runs what is made by `make` in all orders, and prints how many there are.
///
/// - Parameters:
///   - name: What is run.
///   - mostSwitches: How often a thread that could go on has to wait for another one; `nil` for any number of times.
///   - make: Makes a cache, and what is done with it.
func walk(_ name: String, mostSwitches: Int? = nil, _ make: () -> Trial) {
    // Before, so that a violation stands behind the name.
    print(name, terminator: ": ")
    let start = ContinuousClock.now
    let schedules = Schedules(mostSwitches: mostSwitches)
    var goesOn = true
    while goesOn {
        do {
            let trial = make()
            goesOn = schedules.run(trial.bodies)
            trial.check()
        }
        expect(Canary.living == 0, "\(name): \(Canary.living) values have not ended after \(schedules)")
    }
    schedules.stop()
    let seconds = Double((ContinuousClock.now - start) / .milliseconds(1)) / 1000
    let bound = mostSwitches.map { " with at most \($0) switches" } ?? ""
    print("\(schedules.count) schedules\(bound), \(seconds) s")
}

/// Ends the process unless a cache counts what is there of these keys, and of so many others.
func compare<Value: CheckedValue>(_ cache: Cache<Value>, _ keys: [Key], others: Int = 0) {
    let count = others + keys.count { cache.look($0) > 0 }
    expect(cache.count == count, "the cache counts \(cache.count) values and holds \(count)")
    expect(cache.totalCost == count, "the cache says that it costs \(cache.totalCost), and its values cost \(count)")
}
