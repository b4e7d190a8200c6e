import ResourceManager

/// The documents of each term: most of what the index holds, and what it makes smaller when memory is short.
///
/// Its event `stale` says that the budget has grown and there is room for what was cut off.
final class PostingsView: View {
    /// The `precision` of lists that are whole.
    static let wholePrecision = 16

    private(set) var lists: [[UInt32]] = []
    /// How many sixteenths of each list are there; of a list the best come first.
    private(set) var precision = 0
    /// What there would be to hold if the budget allowed it, in bytes.
    private var wantedCost = 0

    /// Takes new lists, as much of them as `precision` and the budget allow.
    func fill(_ lists: [[UInt32]], precision: Int) {
        self.lists = lists
        self.precision = Self.wholePrecision
        coarsen(to: precision)
        setNeedsLayout()
        layoutIfNeeded()
    }

    /// Cuts every list to its best part, and returns the bytes that this gave back.
    @discardableResult
    func coarsen(to precision: Int) -> Int {
        let before = cost
        cut(to: precision)
        wantedCost = cost
        return before - cost
    }

    /// Keeps within the budget, which the storyboard's `share` has a say in.
    override func layoutSubviews() {
        super.layoutSubviews()
        while cost > budget.bytes, precision > 1 { cut(to: precision / 2) }
        if cost < wantedCost, wantedCost <= budget.bytes { sendActions(for: "stale") }
    }

    private func cut(to precision: Int) {
        if precision < self.precision {
            for place in lists.indices {
                // A new array: a slice would keep all of the old one.
                lists[place] = Array(lists[place].prefix(lists[place].count * precision / self.precision))
            }
            self.precision = precision
        }
        cost = IndexContents.cost(of: lists)
    }
}
