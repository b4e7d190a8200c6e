import ResourceManager

/// The terms of the index, and the present position in them.
final class TermTable: View {
    private(set) var terms: [String: Int] = [:]
    /// The position of the next term, in alphabetical order.
    var cursor = 0
    private let pageSize: Int

    override init(coder: Coder) {
        pageSize = max(1, coder["pageSize"] ?? 10)
        super.init(coder: coder)
    }

    func fill(_ terms: [String: Int]) {
        self.terms = terms
        // A term and the place of its list, as the dictionary stores them.
        cost = terms.count * MemoryLayout<(String, Int)>.stride
    }

    /// The next terms; after the last one the first follows.
    func nextPage() -> [String] {
        let sorted = terms.keys.sorted()
        if cursor >= sorted.count { cursor = 0 }
        let page = sorted[cursor...].prefix(pageSize)
        cursor += page.count
        return Array(page)
    }
}
