import ResourceManager

/// The documents of each term: most of the index's memory, and the part that shrinks when memory is short.
///
/// It sends the event `stale` when the budget has grown and has room for parts that were cut off.
final class PostingsView: View {
    /// The `precision` of complete lists.
    static let wholePrecision = 16

    private(set) var lists: [[UInt32]] = []
    /// The number of sixteenths of each list that are kept; the best documents come first.
    private(set) var precision = 0
    /// The bytes of the complete lists.
    private var wantedCost = 0

    /// Stores new lists, up to the length that `precision` and the budget allow.
    func fill(_ lists: [[UInt32]], precision: Int) {
        self.lists = lists
        self.precision = Self.wholePrecision
        coarsen(to: precision)
        setNeedsLayout()
        layoutIfNeeded()
    }

    /// Cuts every list to its best part, and returns the released bytes.
    @discardableResult
    func coarsen(to precision: Int) -> Int {
        let before = cost
        cut(to: precision)
        wantedCost = cost
        return before - cost
    }

    /// Cuts the lists to the budget, which depends on the storyboard's `share`.
    override func layoutSubviews() {
        super.layoutSubviews()
        while cost > budget.bytes, precision > 1 { cut(to: precision / 2) }
        if cost < wantedCost, wantedCost <= budget.bytes { sendActions(for: "stale") }
    }

    private func cut(to precision: Int) {
        if precision < self.precision {
            for place in lists.indices {
                // A new array: a slice would keep the whole old one.
                lists[place] = Array(lists[place].prefix(lists[place].count * precision / self.precision))
            }
            self.precision = precision
        }
        cost = IndexContents.cost(of: lists)
    }
}
