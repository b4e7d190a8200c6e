extension ListController {
    /// A row that was put into the list's view, and whose controllers have received their will-callbacks.
    struct ArrivingRow {
        let view: View
        let controllers: [ViewController]
    }

    /// The view that holds the rows; `nil` before the first layout, and after the view was released.
    var listView: ListView? {
        guard let rowsPlace, rowsPlace.nearestController === self else { return nil }
        return rowsPlace
    }

    /// Makes the rows match ``visibleRows``: by a layout pass on window, and without building rows off window.
    func updateRows() {
        listView?.setNeedsLayout()
        guard !isMovingRows else { return }
        if let listView, listView.window != nil { return listView.layoutIfNeeded() }
        isMovingRows = true
        let shown = shownRows(of: dataSource)
        retireRows(outside: shown)
        trimPools(to: shown.count)
        isMovingRows = false
    }

    /// Brings rows in and out, in a layout pass of a view that can hold them.
    ///
    /// - Returns: The rows that came in, which have to be laid out and displayed before their transitions end.
    func placeRows(in place: ListView) -> [ArrivingRow] {
        guard !isMovingRows, listView == nil || listView === place else { return [] }
        rowsPlace = place
        isMovingRows = true
        defer { isMovingRows = false }
        let source = dataSource
        let shown = shownRows(of: source)
        retireRows(outside: shown)
        var arriving: [ArrivingRow] = []
        if let source {
            for index in shown where place.rows[index] == nil {
                let row = spareRows.removeValue(forKey: index) ?? buildRow(at: index, by: source)
                let controllers = row.topmostControllers()
                for controller in controllers { controller.beginMove(to: place) }
                // A callback may have put the row elsewhere, or the place into it, or given a controller another parent
                // (rules 3.24, 5.42).
                if row.superview == nil, place.canTake(row), place.canTake(viewsOf: controllers) {
                    place.link(row)
                    place.rows[index] = row
                }
                arriving.append(ArrivingRow(view: row, controllers: controllers))
            }
        }
        trimPools(to: shown.count)
        return arriving
    }

    func buildRow(at index: Int, by source: any ListDataSource) -> View {
        let row = source.listController(self, rowAt: index)
        let isFree = row.superview == nil && !(row is Window) && !spareRows.values.contains { $0 === row }
        guard isFree, row.topmostControllers().allSatisfy({ $0.parent == nil || $0.parent === self }) else {
            host.report(.hierarchyInconsistency, by: row)
            return View()
        }
        return row
    }

    /// Releases all rows that are in no view.
    func dropSpareRows() {
        let dropped = spareRows.values.map(\.droppedCost) + pools.values.joined().map(\.droppedCost)
        host.count(released: dropped.reduce(0, +))
        // Their deinits may use the list.
        withExtendedLifetime(Swift.exchange(&spareRows, with: [:])) {}
        withExtendedLifetime(Swift.exchange(&pools, with: [:])) {}
    }

    private func shownRows(of source: (any ListDataSource)?) -> Range<Int> {
        let count = source?.numberOfRows(in: self) ?? 0
        precondition(count >= 0, "a list cannot have \(count) rows")
        return visibleRows.clamped(to: 0..<count)
    }

    /// Takes rows out of service into the pools: those outside a range, or all if they are stale.
    private func retireRows(outside shown: Range<Int>) {
        let areStale = areRowsStale
        areRowsStale = false
        if areStale {
            for index in spareRows.keys.sorted() { spareRows.removeValue(forKey: index).map(pool) }
        }
        guard let listView else { return }
        let leaving = listView.rows.keys.filter { areStale || !shown.contains($0) }
        guard !leaving.isEmpty else { return }
        for index in leaving.sorted() {
            guard let row = listView.rows.removeValue(forKey: index) else { continue }
            // The program or another container has taken it to another place, where it stays.
            if let place = row.superview, place !== listView { continue }
            let controllers = row.topmostControllers()
            for controller in controllers { controller.beginMove(to: nil) }
            // A callback may have put the row elsewhere (rule 3.24).
            if row.superview === listView { row.unlink() }
            for controller in controllers { controller.endMove(isServing: false) }
            if row.superview == nil { pool(row) }
        }
        // Otherwise the list would have an entry for each item that a row ever showed.
        host.backedViews.keep { $0.backing != nil }
    }

    /// Puts a row into its pool without its backings, which show one item and are useless for the next one.
    private func pool(_ row: View) {
        guard let row = row as? RowView, row.controller == nil else { return }
        discardBackings(below: row)
        pools[row.kind, default: []].append(row)
    }

    private func discardBackings(below view: View) {
        host.count(released: view.discardBacking())
        for subview in view.subviews where subview.controller == nil { discardBackings(below: subview) }
    }

    /// Limits the pools: a change of the shown range needs no more rows of a kind than it shows.
    private func trimPools(to count: Int) {
        withExtendedLifetime(Swift.exchange(&pools, with: pools.mapValues { Array($0.suffix(count)) })) {}
    }
}
