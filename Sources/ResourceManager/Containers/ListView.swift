/// The view that holds a ``ListController``'s rows; its layout passes bring them in and out.
///
/// By default it is the controller's view. A controller with a ``ViewController/loadView()`` or an archive of its own
/// may put it anywhere in its tree; a second one in the same tree stays empty. It may have other subviews beside the
/// rows. A row that the program moves is an ordinary view from then on, and the next layout pass brings another in its
/// stead.
public final class ListView: View {
    /// Which of the subviews are rows, by their number; nothing is kept alive by it.
    private var placed: [Int: PlacedRow] = [:]

    /// The row with a number.
    func row(at index: Int) -> View? { placed[index]?.row(of: self) }

    /// The numbers of the rows, in their order; forgets the views that are not rows any more.
    func rowNumbers() -> [Int] {
        placed = placed.filter { $0.value.row(of: self) != nil }
        return placed.keys.sorted()
    }

    /// Adds a subview as the row with a number.
    func link(_ row: View, at index: Int) {
        link(row)
        placed[index] = PlacedRow(view: row, placements: row.placements)
    }

    /// Brings rows in and out, then divides the budget among them as every view does.
    public override func layoutSubviews() {
        let list = nearestController as? ListController
        defer { list?.layOutSkipped(besides: self) }
        let arrival = list?.placeRows(in: self) ?? []
        super.layoutSubviews()
        // The pass around this one does not make the backings of new rows.
        for row in arrival where row.isSubview(of: self) {
            guard let window else { return }
            row.layOut()
            if row.isSubview(of: self) { row.display(in: window) }
        }
    }
}

/// A view that was put into a list view as a row, and is one until it is moved.
private struct PlacedRow {
    @Weak var view: View?
    let placements: UInt32

    func row(of place: ListView) -> View? {
        guard let view, view.isSubview(of: place), view.placements == placements else { return nil }
        return view
    }
}

extension View {
    /// The first list view here, above the views of other controllers.
    var firstListView: ListView? {
        if let list = self as? ListView { return list }
        for subview in subviews where subview.controller == nil {
            if let list = subview.firstListView { return list }
        }
        return nil
    }

    /// Whether the view can become a row: it is in no view, and no controller's view is in it.
    var isSpare: Bool { superview == nil && !(self is Window) && topmostControllers().isEmpty }
}
