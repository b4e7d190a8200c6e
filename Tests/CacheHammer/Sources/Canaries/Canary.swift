internal import CHammer
internal import Synchronization

/// Ends the process with status 1 after printing a message.
package func fail(_ message: String) -> Never {
    hammer_fail(message)
}

/// Ends the process with status 1 unless a condition holds.
@inline(__always)
package func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fail(message()) }
}

/// A value that knows its key, and can check itself.
package protocol CheckedValue: Sendable {
    /// A value for a key.
    ///
    /// - Parameters:
    ///   - key: The key's number.
    ///   - number: Distinguishes the values of that key.
    init(key: Int, number: Int)

    /// The number that distinguishes this value from others of its key.
    var number: Int { get }

    /// Ends the process unless this value is alive, whole, and belongs to the key.
    func check(_ key: Int)
}

/// An object that notes its end.
///
/// Each must end exactly once, and not while it is in use.
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

    /// The number of living objects.
    ///
    /// It is exact while no thread makes or ends any.
    package static var living: Int { made.load(ordering: .relaxed) - ended.load(ordering: .relaxed) }

    /// The number of objects made so far.
    package static var madeCount: Int { made.load(ordering: .relaxed) }
}

/// A value of a little over 512 bytes, which a cache stores in its own memory.
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

/// A value of a little over 8 KiB, with two objects.
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
