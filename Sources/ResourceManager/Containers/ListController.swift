/// A large set of like items, of which a few at a time are in service: tiles, sessions, postings.
///
/// The items are numbered from 0; each that is in service has a *row*, a view that the data source builds when it is
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
/// Which rows are in service says ``visibleRows``. Those that leave go into a pool, to be used again for others; a memory
/// warning empties it. Rows on window stay; off window they go with the list's view, and the same ones are built again
/// when that comes back.
open class ListController: ViewController {
    /// What the items are, and how their rows are built; not kept alive.
    ///
    /// Setting it has all rows built again. Without one there are no items.
    public final weak var dataSource: (any ListDataSource)? {
        didSet { reloadRows() }
    }

    /// The rows in service; none at first.
    ///
    /// On window, setting it takes the rows that are no longer in it out of the ``ListView``, then builds those that are
    /// new to it and puts them in, in the order of their numbers, before it returns. Off window the former leave, and
    /// the latter are built when the list comes on window. It costs the rows that come and go, and a layout pass.
    ///
    /// It may reach beyond the last item, and stays as it is when the items become fewer: only the rows of items that
    /// exist are shown. A range that begins below 0 is a programming error and traps. Set by the data source while that
    /// builds a row, it takes effect in the next layout pass.
    public final var visibleRows: Range<Int> = 0..<0 {
        willSet { precondition(newValue.lowerBound >= 0, "there is no row \(newValue.lowerBound)") }
        didSet { if visibleRows != oldValue { updateRows() } }
    }

    /// Where the rows lie, since its first layout; it may have left this controller's tree since.
    final weak var rowsPlace: ListView?
    /// Rows that were asked for by number and are not in service.
    final var spareRows: [Int: View] = [:]
    /// Rows of no item, by kind.
    final var pools: [String: [RowView]] = [:]
    /// Whether rows are being brought in or out, when callbacks may ask for that again.
    final var isMovingRows = false
    /// Whether no row that is there is to stay what it is.
    final var areRowsStale = false

    /// Makes a ``ListView`` unless there is an archive.
    open override func loadView() {
        if !loadArchivedView() { view = ListView() }
    }

    /// Empties the pool and lets go of the rows off window that were asked for by number, then does what every controller
    /// does.
    ///
    /// What they held by their own count is part of what the warning released.
    open override func didReceiveMemoryWarning() {
        dropSpareRows()
        super.didReceiveMemoryWarning()
    }

    /// Has all rows built again, because the items have changed.
    ///
    /// On window those in service at once; off window when they are needed. What there was goes into the pool, so that
    /// rows of the same kinds only change their items.
    public final func reloadRows() {
        areRowsStale = true
        updateRows()
    }

    /// The row of an item, built by this call if it is not there; never loads the list's view.
    ///
    /// A row outside ``visibleRows`` is kept until it has been in service and has left it, until ``reloadRows()`` or the
    /// next memory warning: the way to have rows ready in advance. A number without an item is a programming error and
    /// traps.
    public final func row(at index: Int) -> View {
        if let row = rowIfLoaded(at: index) { return row }
        let source = dataSource
        let count = source?.numberOfRows(in: self) ?? 0
        guard let source, (0..<count).contains(index) else {
            preconditionFailure("there is no row \(index) of \(count)")
        }
        let row = buildRow(at: index, by: source)
        spareRows[index] = row
        return row
    }

    /// The row of an item if it is there; never builds it, and `nil` for a number without an item.
    public final func rowIfLoaded(at index: Int) -> View? {
        listView?.rows[index] ?? spareRows[index]
    }

    /// A row of a kind that no item needs any more, prepared for another; `nil` if there is none.
    ///
    /// Ask for one before you make one. The list keeps no more of a kind than there are rows in service.
    public final func dequeueReusableRow(_ kind: String) -> RowView? {
        guard let row = pools[kind]?.popLast() else { return nil }
        row.prepareForReuse()
        return row
    }
}

/// Says what the items of a ``ListController`` are, and builds their rows; called in the host's isolation.
public protocol ListDataSource: AnyObject {
    /// How many items there are; asked whenever rows are brought in or out, so it should not count them.
    func numberOfRows(in list: ListController) -> Int

    /// The row of an item: from ``ListController/dequeueReusableRow(_:)``, or a new one.
    ///
    /// Any view will do, also that of a child of the list, but only a ``RowView`` is used again. One that is another
    /// item's row, lies elsewhere, or may not lie in the list's view is ``ResourceFault/hierarchyInconsistency``, and an
    /// empty view is taken in its place.
    func listController(_ list: ListController, rowAt index: Int) -> View
}
