import ResourceManager

/// The hits of a query, in pages.
///
/// Its event `endReached` requests more: there are fewer hits than the page has room for.
final class HitList: View {
    let pageSize: Int
    /// The documents' numbers, the best first.
    var hits: [UInt32] = [] {
        didSet { cost = hits.count * MemoryLayout<UInt32>.stride }
    }

    override init(coder: Coder) {
        pageSize = max(1, coder["pageSize"] ?? 10)
        super.init(coder: coder)
    }

    /// The hits from a position on.
    func page(from position: Int) -> ArraySlice<UInt32> {
        if position + pageSize > hits.count { sendActions(for: "endReached") }
        return hits.dropFirst(position).prefix(pageSize)
    }
}
