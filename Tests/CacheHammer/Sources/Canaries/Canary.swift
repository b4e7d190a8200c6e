internal import CHammer
internal import Synchronization

/// Ends the process with status 1 and says what was found.
package func fail(_ message: String) -> Never {
    hammer_fail(message)
}

/// Ends the process with status 1 unless a condition holds.
@inline(__always)
package func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fail(message()) }
}

/// A value that knows what key it belongs to, and whether it is right.
package protocol CheckedValue: Sendable {
    /// A value for a key.
    ///
    /// - Parameters:
    ///   - key: The key's number.
    ///   - number: Which one of the values of that key this is.
    init(key: Int, number: Int)

    /// Which one of the values of its key this is.
    var number: Int { get }

    /// Ends the process unless this is alive, whole, and a value of that key.
    func check(_ key: Int)
}

/// An object that notes when it ends; each must end exactly once, and none that is in use.
package final class Canary: CheckedValue {
    private let key: Int
    package let number: Int
    private let state = Atomic<UInt64>(alive)

    private static let alive: UInt64 = 0x6116_6116_6116_6116
    private static let dead: UInt64 = 0xDEAD_DEAD_DEAD_DEAD
    private static let made = Atomic<Int>(0)
    private static let ended = Atomic<Int>(0)

    package init(key: Int, number: Int) {
        (self.key, self.number) = (key, number)
        Self.made.wrappingAdd(1, ordering: .relaxed)
    }

    deinit {
        let before = state.exchange(Self.dead, ordering: .relaxed)
        expect(before == Self.alive, "a value of key \(key) ended twice")
        Self.ended.wrappingAdd(1, ordering: .relaxed)
    }

    @inline(__always)
    package func check(_ key: Int) {
        let state = state.load(ordering: .relaxed)
        expect(state == Self.alive, "the value of key \(key) has ended, its state is \(String(state, radix: 16))")
        expect(self.key == key, "the value of key \(key) belongs to key \(self.key)")
    }

    /// How many there are; exact while no thread makes or ends some.
    package static var living: Int { made.load(ordering: .relaxed) - ended.load(ordering: .relaxed) }

    /// How many were made so far.
    package static var madeCount: Int { made.load(ordering: .relaxed) }
}

/// A value of 512 bytes and some, which a cache keeps in its own memory.
package struct Block: CheckedValue {
    private let canary: Canary
    private let words: InlineArray<64, UInt64>

    package init(key: Int, number: Int) {
        canary = Canary(key: key, number: number)
        words = InlineArray { UInt64(truncatingIfNeeded: key &* 1_000_003 &+ number &+ $0) }
    }

    package var number: Int { canary.number }

    package func check(_ key: Int) {
        canary.check(key)
        for index in words.indices {
            let word = UInt64(truncatingIfNeeded: key &* 1_000_003 &+ number &+ index)
            expect(words[index] == word, "word \(index) of the value of key \(key) belongs to another value")
        }
    }
}

/// A value of 8 KiB and some, with two objects.
package struct Slab: CheckedValue {
    private let first: Canary
    private let words: InlineArray<1024, UInt64>
    private let last: Canary

    package init(key: Int, number: Int) {
        first = Canary(key: key, number: number)
        words = InlineArray { UInt64(truncatingIfNeeded: key &* 1_000_003 &+ number &+ $0) }
        last = Canary(key: key, number: number)
    }

    package var number: Int { first.number }

    package func check(_ key: Int) {
        first.check(key)
        last.check(key)
        expect(first.number == last.number, "the value of key \(key) is made of two values")
        for index in words.indices {
            let word = UInt64(truncatingIfNeeded: key &* 1_000_003 &+ number &+ index)
            expect(words[index] == word, "word \(index) of the value of key \(key) belongs to another value")
        }
    }
}
