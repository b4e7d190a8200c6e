/// A large set of similar items that has only a few in service at a time: tiles, sessions, postings.
///
/// The items are numbered from 0. Each item in service has a *row*, a view that the data source builds when it is
/// needed:
///
/// ```swift
/// func listController(_ list: ListController, rowAt index: Int) -> View {
///     let row = list.dequeueReusableRow("tile") as? TileView ?? TileView()
///     row.tile = tiles[index]
///     return row
/// }
/// ```
///
/// ``visibleRows`` says which rows are in service. Rows that leave service go into a pool, to be used again for other
/// items; a memory warning empties the pool. Rows on window stay. Off window they are released together with the list's
/// view, and built again when that view returns.
open class ListController: ViewController {
    /// Provides the items and builds their rows; not kept alive.
    ///
    /// Setting it rebuilds all rows, and is refused as for ``visibleRows``. Without a data source there are no items.
    public final var dataSource: (any ListDataSource)? {
        get { source }
        set {
            change {
                source = newValue
                markRowsStale()
            }
        }
    }

    /// The rows in service; none at first.
    ///
    /// On window, setting it first takes out the rows that are no longer in the range, then builds the new ones and
    /// puts them into the ``ListView`` in the order of their numbers, before it returns. Off window, rows leave at
    /// once, and new ones are built when the list comes on window. The cost is that of the rows that come and go, and a
    /// layout pass.
    ///
    /// The range may extend beyond the last item, and does not change when the number of items falls: only rows of
    /// existing items are shown. A range that begins below 0 is a programming error and traps. If the data source sets
    /// it while it builds a row, it takes effect in another layout pass before the call that needed the row returns.
    /// Refused in callbacks beyond the bounds of rule 3.25: ``ResourceFault/tooManyOperations``.
    public final var visibleRows: Range<Int> {
        get { range }
        set {
            precondition(newValue.lowerBound >= 0, "there is no row \(newValue.lowerBound)")
            if newValue != range { change { range = newValue } }
        }
    }

    private final weak var source: (any ListDataSource)?
    private final var range = 0..<0
    /// The view that holds the rows, since its first layout; it may have left this controller's tree since then.
    @Weak final var rowsPlace: ListView?
    /// Rows that were requested by number and have not been in service since; those with ``View/isSpare`` count.
    final var spareRows: [Int: View] = [:]
    /// Rows without an item, by kind; those with ``View/isSpare`` count.
    final var pools: [String: [RowView]] = [:]
    final var isLayingOutSkipped = false
    /// Whether rows are being brought in or out, during which callbacks may request another change.
    final var isMovingRows = false
    /// Whether a layout pass of a view that can hold the rows found them being moved.
    final var isPassSkipped = false
    /// Whether a callback requested another change while rows were being moved.
    final var areRowsOutdated = false
    /// How often the rows were to be rebuilt.
    private final var reloads = 0
    /// Whether all present rows have to be rebuilt.
    final var areRowsStale = false

    /// Makes a ``ListView`` unless there is an archive.
    open override func loadView() {
        if !loadArchivedView() { view = ListView() }
    }

    /// Empties the pool, releases the rows off window that were requested by number, then calls `super`.
    ///
    /// The bytes that these rows held, by their own count, are part of what the warning released.
    open override func didReceiveMemoryWarning() {
        dropSpareRows()
        super.didReceiveMemoryWarning()
    }

    /// Rebuilds all rows, because the items have changed.
    ///
    /// On window, rows in service are rebuilt at once; off window, when they are needed. The old rows go into the pool,
    /// so that rows of the same kinds only change their items. Refused as for ``visibleRows``.
    public final func reloadRows() {
        change { markRowsStale() }
    }

    private func markRowsStale() {
        areRowsStale = true
        reloads += 1
    }

    /// Changes what the list shows, and the rows with it; an operation that only lays out.
    private func change(_ change: () -> Void) {
        guard host.beginLayout(by: self) else { return }
        change()
        updateRows()
        host.endOperation()
    }

    /// The row of an item, built by this call if it is not there; never loads the list's view.
    ///
    /// Use it to prepare rows in advance. A row outside ``visibleRows`` is kept until it has been in service and has
    /// left it, until ``reloadRows()``, until the next memory warning, or until the program puts it into another view; it
    /// is not kept if the source calls ``reloadRows()`` while it builds it.
    /// A number without an item is a programming error and traps.
    public final func row(at index: Int) -> View {
        if let row = rowIfLoaded(at: index) { return row }
        let source = dataSource
        let count = source?.numberOfRows(in: self) ?? 0
        guard let source, (0..<count).contains(index) else {
            preconditionFailure("there is no row \(index) of \(count)")
        }
        let reloads = reloads
        let row = buildRow(at: index, by: source)
        // A row that the source has made out of date itself is not kept.
        guard reloads == self.reloads else { return row }
        // The source may have built the row already; the deinit of that row may use the list.
        withExtendedLifetime(spareRows.updateValue(row, forKey: index)) {}
        return row
    }

    /// The row of an item if it exists; never builds it, and returns `nil` for a number without an item.
    public final func rowIfLoaded(at index: Int) -> View? {
        listView?.row(at: index) ?? spareRow(at: index)
    }

    /// An unused row of a kind, prepared for another item; `nil` if there is none.
    ///
    /// Call this before you make a new row. The list keeps no more rows of a kind than there are rows in service.
    public final func dequeueReusableRow(_ kind: String) -> RowView? {
        while let row = pools[kind]?.popLast() {
            row.isPooled = false
            guard row.isSpare else { continue }
            row.prepareForReuse()
            return row
        }
        return nil
    }
}

/// Provides the items of a ``ListController`` and builds their rows; called in the host's isolation.
public protocol ListDataSource: AnyObject {
    /// The number of items; called whenever rows are brought in or out, so it should not have to count them.
    func numberOfRows(in list: ListController) -> Int

    /// The row of an item: from ``ListController/dequeueReusableRow(_:)``, or a new one.
    ///
    /// It can be any view, but only a ``RowView`` is used again. A view that is another item's row, lies in another
    /// view, or contains the view of a controller is a ``ResourceFault/hierarchyInconsistency``, and an empty view
    /// replaces it. Items that need a controller each are for a ``WorkingSetController``.
    func listController(_ list: ListController, rowAt index: Int) -> View
}
