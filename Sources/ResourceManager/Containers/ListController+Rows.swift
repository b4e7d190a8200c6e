extension ListController {
    /// The view that holds the rows; `nil` before the first layout, and after the view was released.
    var listView: ListView? {
        guard let rowsPlace, rowsPlace.nearestController === self else { return nil }
        return rowsPlace
    }

    /// The view that holds the rows, or is to hold them.
    private var presentPlace: ListView? { listView ?? viewIfLoaded?.firstListView }

    /// A row that was requested by number and is not in service.
    func spareRow(at index: Int) -> View? {
        guard let row = spareRows[index], row.isSpare else { return nil }
        return row
    }

    /// Makes the rows match ``visibleRows``: by a layout pass on window, and without building rows off window.
    func updateRows() {
        let place = presentPlace
        place?.setNeedsLayout()
        guard !isMovingRows else {
            areRowsOutdated = true
            return
        }
        if let place, place.window != nil {
            place.layOut()
            // A callback may have changed the range.
            if let present = presentPlace, present.window != nil { present.layOut() }
        } else {
            isMovingRows = true
            let count = rowCount(of: dataSource)
            retireRows(of: place, from: count)
            trimPools(to: count)
            endMovingRows(in: nil)
        }
        layOutSkipped()
    }

    /// Lays out the view that holds the rows if it missed its pass.
    ///
    /// That happens if a callback replaces the view, or brings it on window, while rows are being brought in or out. A
    /// callback that does so in each pass does not get another pass each time.
    func layOutSkipped(besides place: ListView? = nil) {
        guard !isMovingRows, !isLayingOutSkipped, let present = presentPlace, present !== place else { return }
        guard present.needsLayout, present.window != nil else { return }
        isLayingOutSkipped = true
        present.layOut()
        isLayingOutSkipped = false
    }

    /// Brings rows in and out, in a layout pass of a view that can hold them.
    ///
    /// - Returns: The rows that came in.
    func placeRows(in place: ListView) -> [View] {
        guard !isMovingRows else {
            isPassSkipped = true
            return []
        }
        isMovingRows = true
        defer { endMovingRows(in: place) }
        if let listView, listView !== place {
            // Rows of another list that had the view before.
            for index in place.rowNumbers() { retireRow(at: index, of: place) }
            return []
        }
        if let former = rowsPlace, former !== place, !(former.nearestController is ListController) {
            for index in former.rowNumbers() { retireRow(at: index, of: former, dividesShare: true) }
        }
        let source = dataSource
        let count = rowCount(of: source)
        // A source that replaced itself: the next pass shows the items of the new one.
        guard source === dataSource else { return [] }
        // What another list has left in the view shows that list's items.
        retireRows(of: place, from: rowsPlace === place ? count : 0)
        rowsPlace = place
        var arriving: [View] = []
        if let source {
            for index in visibleRows.clamped(to: 0..<count) where place.row(at: index) == nil {
                let row = spareRow(at: index) ?? buildRow(at: index, by: source)
                // The deinit of one that the program has put elsewhere may use the list.
                withExtendedLifetime(spareRows.removeValue(forKey: index)) {}
                // The source may have put the place into the row; or the tree is too deep for it (rule 5.42).
                guard place.canTake(row) else {
                    host.report(.hierarchyInconsistency, by: row)
                    continue
                }
                place.link(row, at: index)
                arriving.append(row)
            }
        }
        trimPools(to: count)
        return arriving
    }

    /// Requests another pass at the end of the call for the view that is to hold the rows, if the rows were changed while
    /// they were being moved, or if it had a pass then; not for a pass in the middle of its own, which goes on.
    private func endMovingRows(in place: ListView?) {
        let isPassDue = areRowsOutdated || isPassSkipped && presentPlace !== place
        (isMovingRows, areRowsOutdated, isPassSkipped) = (false, false, false)
        if isPassDue { presentPlace?.layOutLater() }
    }

    func buildRow(at index: Int, by source: any ListDataSource) -> View {
        let row = source.listController(self, rowAt: index)
        // The program may keep its rows, and return one that the list has pooled.
        if let row = row as? RowView, row.isPooled {
            row.isPooled = false
            pools[row.kind]?.removeAll { $0 === row }
        }
        guard row.isSpare, !spareRows.values.contains(where: { $0 === row }) else {
            host.report(.hierarchyInconsistency, by: row)
            return View()
        }
        return row
    }

    /// Releases all rows that are in no view.
    func dropSpareRows() {
        let dropped = [Array(spareRows.values), pools.values.flatMap { $0 }].joined().filter(\.isSpare)
        for row in dropped { host.countReleased(of: row) }
        for row in pools.values.joined() { row.isPooled = false }
        // Their deinits may use the list.
        withExtendedLifetime(Swift.exchange(&spareRows, with: [:])) {}
        withExtendedLifetime(Swift.exchange(&pools, with: [:])) {}
    }

    private func rowCount(of source: (any ListDataSource)?) -> Int {
        let count = source?.numberOfRows(in: self) ?? 0
        precondition(count >= 0, "a list cannot have \(count) rows")
        return count
    }

    /// Takes rows out of service into the pools: those of no item in ``visibleRows``, or all if they are stale.
    private func retireRows(of place: ListView?, from count: Int) {
        let areStale = areRowsStale
        areRowsStale = false
        if areStale {
            for index in spareRows.keys.sorted() { spareRows.removeValue(forKey: index).map(pool) }
        }
        guard let place else { return }
        for index in place.rowNumbers() {
            // A callback may have changed the range, or taken the row out itself.
            let isShown = !areStale && index < count && visibleRows.contains(index)
            if !isShown { retireRow(at: index, of: place) }
        }
        // Otherwise the list would have an entry for each item that a row ever showed.
        host.backedViews.keep { $0.backing != nil }
        host.discardBackingsIfRaised()
    }

    private func retireRow(at index: Int, of place: ListView, dividesShare: Bool = false) {
        guard let row = place.row(at: index) else { return }
        // The program may have put controllers' views into it, and their callbacks may put it back (rule 3.24). The list
        // divides its budget after the change.
        if row.topmostControllers().isEmpty { row.unlink(dividesShare: dividesShare) } else { row.takeOut() }
        pool(row)
    }

    /// Puts a row into its pool without its backings, which show one item and are useless for the next one.
    private func pool(_ row: View) {
        guard let row = row as? RowView, row.isSpare, !row.isPooled else { return }
        row.isPooled = true
        discardBackings(below: row)
        pools[row.kind, default: []].append(row)
    }

    private func discardBackings(below view: View) {
        host.count(released: view.discardBacking())
        for subview in view.subviews where subview.controller == nil { discardBackings(below: subview) }
    }

    /// Limits the pools for a number of items: a change of the range needs no more rows of a kind than it shows.
    private func trimPools(to count: Int) {
        let most = visibleRows.clamped(to: 0..<count).count
        let dropped = pools.values.flatMap { $0.dropLast(most) }
        for row in dropped { row.isPooled = false }
        pools = pools.mapValues { Array($0.suffix(most)) }
        withExtendedLifetime(dropped) {}
    }
}
