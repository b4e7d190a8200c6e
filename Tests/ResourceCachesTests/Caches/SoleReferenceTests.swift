import Testing

@testable import ResourceCaches

struct SoleReferenceTests {
    private class Object {}
    private final class Derived: Object { var numbers = [1, 2, 3] }

    private struct Pair {
        var object = Object()
    }

    /// Whether the check sees one reference to a value, then two, and then one again.
    private func isSeen<Value>(_ make: () -> Value) -> Bool {
        let check = SoleReference<Value>()
        var value = make()
        let before = check.isShared(&value)
        var other: Value? = value
        let meanwhile = withExtendedLifetime(other) { check.isShared(&value) }
        other = nil
        return check.canTell && !before && meanwhile && !check.isShared(&value)
    }

    /// A number that the compiler does not know, so that no value becomes a constant.
    private var number: Int { Int.random(in: 1...9) }

    @Test("an object with further references is distinguished from an object without")
    func objects() {
        #expect(isSeen { Object() })
        #expect(isSeen { Derived() })
        #expect(isSeen { Derived() as Object })
        #expect(isSeen { Object() as Object? })
        #expect(isSeen { Object() as Object?? })
    }

    @Test("the same holds for the elements of arrays, sets and dictionaries")
    func collections() {
        #expect(isSeen { [number] })
        #expect(isSeen { [Object(), Object()] })
        #expect(isSeen { [number, 2] as ContiguousArray })
        #expect(isSeen { [number, 2] as Set })
        #expect(isSeen { ["a": number] })
        #expect(isSeen { [number] as [Int]? })
        #expect(isSeen { [number] as Set? })
        #expect(isSeen { [1: number] as [Int: Int]?? })
        #expect(
            isSeen { () -> [Int] in
                var empty: [Int] = []
                empty.reserveCapacity(100)
                return empty
            }
        )
    }

    @Test("a copy in another form counts as a reference, and a weak reference does not")
    func shapes() {
        let check = SoleReference<[Int]>()
        var numbers = [number, 2]
        let slice = numbers[...]
        #expect(withExtendedLifetime(slice) { check.isShared(&numbers) })
        var object = Object()
        weak let reference = object
        #expect(!SoleReference<Object>().isShared(&object))
        #expect(reference != nil)
    }

    @Test("without an object nothing is shared")
    func nothing() {
        func isShared<Value>(_ value: Value) -> Bool {
            var value = value
            #expect(SoleReference<Value>().canTell)
            return SoleReference<Value>().isShared(&value)
        }
        #expect(!isShared([] as [Int]))
        #expect(!isShared([] as ContiguousArray<Object>))
        #expect(!isShared([] as Set<Int>))
        #expect(!isShared([:] as [Int: Int]))
        #expect(!isShared([] as [Int]?))
        #expect(!isShared(nil as [Int]?))
        #expect(!isShared(nil as Object?))
        #expect(!isShared(.some(nil) as Object??))
    }

    @Test("for other types the check has no answer")
    func unknown() {
        func isShared<Value>(_ value: Value) -> Bool {
            var value = value
            return SoleReference<Value>().canTell || SoleReference<Value>().isShared(&value)
        }
        #expect(!isShared(7))
        #expect(!isShared(UInt.max))
        #expect(!isShared(7 as Int?))
        #expect(!isShared("a string whose characters are on the heap \(number)"))
        #expect(!isShared(Pair()))
        #expect(!isShared(Pair() as Pair?))
        #expect(!isShared([number, 2][...]))
        #expect(!isShared([number] as any Collection))
        #expect(!isShared({ number }))
    }
}
