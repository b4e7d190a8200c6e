import Canaries
import ResourceCaches

/// A key that chooses its bucket.
struct Key: Hashable, Sendable {
    private let bits: UInt32

    /// - Parameters:
    ///   - bucket: The low bits of the key's hash.
    ///   - number: Distinguishes the key from others of that bucket; below 255.
    init(_ bucket: Int, _ number: Int = 0) {
        bits = UInt32(number + 1) << 24 | UInt32(bucket)
    }

    /// The number by which the key's values identify their key.
    var number: Int { Int(bits) }

    /// The hash from which a cache computes these bits: it folds a hash, multiplies it by an odd number, and takes the upper half.
    var hashValue: Int {
        // The inverse of that number.
        let folded = (UInt64(bits) << 32) &* 0xF1DE_83E1_9937_733D
        return Int(bitPattern: UInt(folded ^ folded >> 32))
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(bits)
    }
}

/// A value of more than 32 KiB.
///
/// A cache stores 16 of them together.
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

    /// The number of a key's value; 0 if there is none.
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

    /// The number of a key's value; 0 if there is none.
    ///
    /// The call changes nothing.
    func look(_ key: Key) -> Int { peek(key)?.number ?? 0 }
}

/// The numbers of the values that threads have found.
// `@unchecked`: each thread has a place of its own, and one thread runs at a time.
final class Findings: @unchecked Sendable {
    private var numbers = [Int](repeating: -1, count: 4)

    subscript(place: Int) -> Int {
        get { numbers[place] }
        set { numbers[place] = newValue }
    }
}

/// Code that runs in all orders.
struct Trial {
    /// The threads' bodies, each of which runs on its own thread.
    var bodies: [@Sendable () -> Void]
    /// Called after all threads have ended.
    var check: () -> Void
}

/// Runs the trials that `make` makes in all orders, and prints the number of orders.
///
/// - Parameters:
///   - name: The name to print.
///   - mostSwitches: How often a thread that could continue has to wait for another thread; `nil` for any number of
///     times.
///   - make: Makes a cache and the bodies that use it.
func walk(_ name: String, mostSwitches: Int? = nil, _ make: () -> Trial) {
    // Printed first, so that the message of an error follows the name.
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

/// Ends the process unless a cache's count equals the number of these keys' values plus `others`.
func compare<Value: CheckedValue>(_ cache: Cache<Value>, _ keys: [Key], others: Int = 0) {
    let count = others + keys.count { cache.look($0) > 0 }
    expect(cache.count == count, "the cache counts \(cache.count) values and holds \(count)")
    expect(cache.totalCost == count, "the cache says that it costs \(cache.totalCost), and its values cost \(count)")
}
