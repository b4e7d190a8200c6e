import TestSupport
import Testing

@testable import ResourceCaches

struct GroupedListTests {
    private struct Item: Identifiable {
        let id: Int
    }

    @Test(
        "each of very many elements is removed once, in any order, and the others leave in their order",
        arguments: [1, 511, 512, 513, 5000]
    )
    func manyElements(count: Int) {
        var generator = SeededGenerator(seed: 1)
        var arrivals = Array(0..<count)
        // Tasks that get their identities one after the other may get the lock in another order.
        for index in stride(from: 7, to: count, by: 7) { arrivals.swapAt(index, index - 1) }
        var list = GroupedList<Item>()
        for id in arrivals { list.insert(Item(id: id)) }
        #expect(list.map(\.id) == Array(0..<count))
        var left = arrivals.shuffled(using: &generator)
        for id in left.prefix(count / 2) {
            #expect(list.remove(id)?.id == id)
            #expect(list.remove(id) == nil)
        }
        left.removeFirst(count / 2)
        #expect(list.count == left.count)
        for id in left.sorted() { #expect(list.removeFirst()?.id == id) }
        #expect(list.removeFirst() == nil && list.count == 0)
        #expect(list.remove(0) == nil && list.remove(count) == nil)
    }

    @Test(
        "a copy's elements are replaced with some of them, and those that came later stay behind them, in order",
        arguments: [(1, 0), (511, 1), (512, 0), (512, 1), (513, 600), (2000, 3), (2000, 2000)]
    )
    func replacing(first: Int, later: Int) {
        for keeps in [0, 1, 2] {
            var list = GroupedList(0..<first)
            let copy = list
            for element in first..<first + later { list.append(element) }
            list.replace(copy, with: GroupedList(copy.lazy.filter { $0 % 2 < keeps }))
            let expected = (0..<first).filter { $0 % 2 < keeps } + Array(first..<first + later)
            #expect(Array(list) == expected)
            #expect(list.count == expected.count)
            list.append(9_000)
            #expect(Array(list) == expected + [9_000])
        }
    }
}
