import Testing

@testable import ResourceCaches

struct RecencyListTests {
    @Test("the list behaves like a plain array of keys in the order of use")
    func model() {
        var list = RecencyList<Int, String>()
        var order: [(key: Int, cost: Int)] = []
        for step in 0..<5000 {
            let key = Int.random(in: 0..<40)
            let index = order.firstIndex { $0.key == key }
            let value = index.map { _ in "\(key)" }
            switch Int.random(in: 0..<8) {
            case 0...2:
                #expect(list.insert("\(key)", for: key, cost: step % 5) == value)
                order.removeAll { $0.key == key }
                order.append((key, step % 5))
            case 3...5:
                #expect(list.use(key) == value)
                if let index { order.append(order.remove(at: index)) }
            case 6:
                #expect(list.remove(key) == value)
                if let index { order.remove(at: index) }
            default:
                #expect(list.removeOldest() == order.first.map { "\($0.key)" })
                order = Array(order.dropFirst())
            }
            #expect(list.count == order.count)
            #expect(list.totalCost == order.reduce(0) { $0 + $1.cost })
        }
    }
}
