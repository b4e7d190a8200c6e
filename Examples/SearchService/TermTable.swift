import ResourceManager

/// The terms of the index, and the position in them.
final class TermTable: View {
    private(set) var terms: [String: Int] = [:]
    /// The place, in alphabetical order, of the term that is next.
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

    /// The next terms, from the start again after the last.
    func nextPage() -> [String] {
        let sorted = terms.keys.sorted()
        if cursor >= sorted.count { cursor = 0 }
        let page = sorted[cursor...].prefix(pageSize)
        cursor += page.count
        return Array(page)
    }
}
