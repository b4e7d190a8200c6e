import Testing

@testable import ResourceManager

@Suite(.onTwoThreads)
struct ListControllerTests {
    let stage = Stage()
    let tiles = Tiles(count: 100)

    func list(_ visibleRows: Range<Int>) -> ListController {
        let list = ListController(host: stage.host)
        list.dataSource = tiles
        list.visibleRows = visibleRows
        return list
    }

    /// The numbers that the rows in service show.
    func shown(_ list: ListController) -> [Int] {
        (list.viewIfLoaded?.subviews ?? []).compactMap { ($0 as? Tile)?.number }.sorted()
    }

    // MARK: In service

    @Test("rows are built when the list comes on window, and only the rows in service (row 47)")
    func builtOnWindow() {
        let list = list(3..<6)
        _ = list.view
        #expect(tiles.built.isEmpty)
        let window = stage.window(showing: list)
        #expect(tiles.built == [3, 4, 5])
        #expect(shown(list) == [3, 4, 5])
        #expect(list.rowIfLoaded(at: 3)?.window === window)
        #expect(list.rowIfLoaded(at: 6) == nil)
        #expect(list.rowIfLoaded(at: 1000) == nil)
    }

    @Test("a moved range only builds the new rows, and reuses rows that have left (row 47)")
    func reuse() {
        let list = list(0..<3)
        let window = stage.window(showing: list)
        let made = tiles.made
        let stays = list.row(at: 2)
        list.visibleRows = 2..<5
        #expect(tiles.built == [0, 1, 2, 3, 4])
        #expect(shown(list) == [2, 3, 4])
        #expect(list.row(at: 2) === stays)
        #expect(tiles.made == made)
        #expect(tiles.prepared == 2)
        list.visibleRows = 2..<5
        #expect(tiles.built.count == 5)
        #expect(window.isVisible)
    }

    @Test("a row that was requested early exists once, and leaves with the others")
    func askedForBefore() {
        let list = list(0..<1)
        let window = stage.window(showing: list)
        let row = list.row(at: 1)
        list.visibleRows = 0..<3
        #expect(list.rowIfLoaded(at: 1) === row)
        list.visibleRows = 5..<6
        #expect(list.rowIfLoaded(at: 1) == nil)
        #expect(window.isVisible)
    }

    @Test("a row is only reused for another one of its kind (row 47)")
    func kinds() {
        tiles.kind = { $0 < 3 ? "small" : "large" }
        let list = list(0..<3)
        let window = stage.window(showing: list)
        list.visibleRows = 3..<6
        #expect(tiles.made == 6)
        #expect((list.row(at: 4) as? RowView)?.kind == "large")
        #expect(list.dequeueReusableRow("large") == nil)
        #expect(list.dequeueReusableRow("small")?.kind == "small")
        #expect(window.isVisible)
    }

    @Test("no more rows of a kind are kept than are in service (row 47)")
    func poolIsBounded() {
        let list = list(0..<10)
        let window = stage.window(showing: list)
        list.visibleRows = 0..<2
        let kept = [0, 1, 2].compactMap { _ in list.dequeueReusableRow("tile") }
        #expect(kept.count == 2)
        list.visibleRows = 0..<0
        #expect(list.dequeueReusableRow("tile") == nil)
        #expect(window.isVisible)
    }

    @Test("rows get their budgets before their backings, and both before they appear (3.4)")
    func layoutAndBacking() {
        tiles.share = BudgetShare()
        let list = list(0..<2)
        let window = stage.window()
        window.resize(to: Budget(bytes: 4000))
        window.rootViewController = list
        list.visibleRows = 0..<4
        let rows = (0..<4).compactMap { list.row(at: $0) as? Tile }
        #expect(rows.map(\.budget.bytes) == [1000, 1000, 1000, 1000])
        #expect(rows.map { $0.backing as? Int } == [2000, 2000, 1000, 1000])
    }

    @Test("a reused row makes its backings for the new item, including those of its parts (4.13)")
    func backingOfReusedRow() {
        let part = NumberedView()
        tiles.content = { $0 == 0 ? part : nil }
        tiles.onPrepare = { _ in }
        let list = list(0..<1)
        let window = stage.window(showing: list)
        list.visibleRows = 1..<2
        #expect(part.window === window)
        #expect(tiles.made == 1)
        #expect(part.backing as? Int == 2)
        #expect(stage.host.backedViews.objects.count == 2)
    }

    @Test("controllers that the program puts into a row appear and disappear with it (5.8, 5.10)")
    func controllersInRows() throws {
        let x = stage.controller("X")
        let c = stage.controller("C")
        let list = list(0..<3)
        list.addChild(c)
        let window = stage.window(showing: list)
        _ = (x.view, c.view)
        try #require(list.rowIfLoaded(at: 1)).addSubview(x.view)
        try #require(list.rowIfLoaded(at: 2)).addSubview(c.view)
        #expect(stage.events { list.visibleRows = 2..<4 } == ["X.viewWillDisappear", "X.viewDidDisappear"])
        #expect(stage.events { window.hide() } == ["C.viewWillDisappear", "C.viewDidDisappear"])
        #expect(stage.events { list.visibleRows = 3..<4 } == [])
        #expect(stage.events { window.makeVisible() } == [])
        #expect(shown(list) == [3])
        #expect(!c.view.isDescendant(of: list.view))
    }

    @Test("a row that a callback brings back while it leaves stays, and is the program's from then on (3.24)")
    func broughtBackWhileLeaving() throws {
        let list = list(0..<1)
        let window = stage.window(showing: list)
        let row = try #require(list.rowIfLoaded(at: 0))
        let x = stage.controller("X", on: ["viewWillDisappear": { [unowned list] _ in list.view.addSubview(row) }])
        row.addSubview(x.view)
        #expect(stage.events { list.visibleRows = 5..<6 }.first == "X.viewWillDisappear")
        #expect(x.view.window === window)
        #expect(x.appearance.phase == .appeared)
        #expect(list.rowIfLoaded(at: 0) == nil)
        list.reloadRows()
        #expect(shown(list) == [0, 5])
        #expect(list.dequeueReusableRow("tile") == nil)
    }

    @Test("a range that a callback sets back while a row leaves is shown as a whole after a layout pass")
    func setBackWhileLeaving() throws {
        let list = list(0..<2)
        let window = stage.window(showing: list)
        let x = stage.controller("X", on: ["viewWillDisappear": { [unowned list] _ in list.visibleRows = 0..<2 }])
        try #require(list.rowIfLoaded(at: 0)).addSubview(x.view)
        list.visibleRows = 5..<7
        #expect(shown(list) == [0, 1])
        withExtendedLifetime(window) {}
    }

    @Test("a row that the program takes out, or puts elsewhere, is built again, and nothing happens to the old one")
    func takenByTheProgram() throws {
        let list = list(0..<2)
        let window = stage.window(showing: list)
        let other = stage.window()
        let moved = try #require(list.rowIfLoaded(at: 0) as? Tile)
        other.addSubview(moved)
        #expect(list.rowIfLoaded(at: 0) == nil)
        list.visibleRows = 0..<3
        #expect(shown(list) == [0, 1, 2])
        list.reloadRows()
        #expect(moved.superview === other)
        #expect(moved.backing != nil)
        moved.removeFromSuperview()
        #expect(stage.host.simulateMemoryWarning().released == 0)
        withExtendedLifetime(window) {}
    }

    @Test("a spare row that the program has put to use is neither shown, nor offered, nor counted as released")
    func spareElsewhere() throws {
        let list = list(0..<2)
        let window = stage.window(showing: list)
        let other = stage.window()
        let requested = list.row(at: 7)
        other.addSubview(requested)
        #expect(list.rowIfLoaded(at: 7) == nil)
        #expect(list.row(at: 7) !== requested)
        let pooled = try #require(list.rowIfLoaded(at: 0))
        list.visibleRows = 1..<2
        other.addSubview(pooled)
        #expect(list.dequeueReusableRow("tile") == nil)
        list.visibleRows = 7..<8
        #expect(shown(list) == [7])
        #expect(other.subviews.count == 2)
        // The row of item 1 is in the pool.
        #expect(stage.host.simulateMemoryWarning().released == 100)
        withExtendedLifetime(window) {}
    }

    @Test("a list whose view is unloaded and loaded again while it builds a row has its rows after the call")
    func reloadedWhileBuilding() {
        let list = list(0..<0)
        let window = stage.window(showing: list)
        tiles.whenBuilding = { [unowned tiles] _ in
            tiles.whenBuilding = { _ in }
            window.hide()
            _ = stage.warn()
            window.makeVisible()
        }
        list.visibleRows = 0..<3
        #expect(shown(list) == [0, 1, 2])
    }

    @Test("a list whose view is replaced while it builds a row, or whose list view goes, uses the next list view")
    func replacedListView() {
        let list = list(0..<0)
        let window = stage.window(showing: list)
        tiles.whenBuilding = { [unowned list, unowned tiles] _ in
            tiles.whenBuilding = { _ in }
            list.view = ListView()
        }
        list.visibleRows = 0..<3
        list.reloadRows()
        #expect(shown(list) == [0, 1, 2])

        let both = FramedList(host: stage.host)
        both.dataSource = tiles
        window.rootViewController = both
        let other = ListView()
        both.view.addSubview(other)
        both.frame?.removeFromSuperview()
        both.visibleRows = 0..<2
        #expect(other.subviews.count == 2)
    }

    @Test("a list view that comes back is empty while another one holds the rows")
    func twoListViews() throws {
        let list = FramedList(host: stage.host)
        list.dataSource = tiles
        list.visibleRows = 0..<3
        let window = stage.window(showing: list)
        let (first, second) = (try #require(list.frame), ListView())
        list.view.addSubview(second)
        first.removeFromSuperview()
        list.visibleRows = 1..<4
        list.view.addSubview(first)
        list.visibleRows = 2..<5
        #expect(first.subviews.isEmpty)
        #expect(second.subviews.count == 3)
        tiles.whenBuilding = { [unowned list, unowned tiles] _ in
            tiles.whenBuilding = { _ in }
            tiles.offset = 100
            list.reloadRows()
        }
        for view in [first, second] { view.setNeedsLayout() }
        list.visibleRows = 0..<3
        window.layoutIfNeeded()
        #expect(second.subviews.compactMap { ($0 as? Tile)?.number }.sorted() == [100, 101, 102])
    }

    @Test("a list whose view is replaced as it comes into service, or that comes on window while rows leave, has rows")
    func changedInOtherPasses() {
        let list = list(0..<3)
        tiles.whenBuilding = { [unowned list, unowned tiles] _ in
            tiles.whenBuilding = { _ in }
            list.view = ListView()
        }
        let window = stage.window(showing: list)
        #expect(shown(list) == [0, 1, 2])
        window.hide()
        tiles.whenCounting = { [unowned tiles] in
            tiles.whenCounting = {}
            window.makeVisible()
        }
        list.visibleRows = 4..<7
        #expect(shown(list) == [4, 5, 6])
    }

    @Test("rows with a share that leave cause no second pass (3.6)")
    func sharesOfLeavingRows() {
        tiles.share = BudgetShare()
        let list = CountingList(host: stage.host)
        list.dataSource = tiles
        list.visibleRows = 0..<3
        let window = stage.window(showing: list)
        let before = list.passes
        list.visibleRows = 5..<8
        #expect(list.passes == before + 1)
        window.hide()
        window.makeVisible()
        #expect(list.passes == before + 1)
    }

    @Test("a list that is laid out while it builds a row needs no further pass (3.6)")
    func laidOutWhileBuilding() {
        let list = CountingList(host: stage.host)
        list.dataSource = tiles
        let window = stage.window(showing: list)
        tiles.whenBuilding = { [unowned tiles, unowned window] _ in
            tiles.whenBuilding = { _ in }
            window.resize(to: Budget(bytes: 10))
        }
        let before = list.passes
        list.visibleRows = 0..<3
        #expect(shown(list) == [0, 1, 2] && list.row(at: 0).budget.bytes == 10)
        #expect(list.passes == before + 2)
    }

    @Test("a row that the program keeps and returns again is in the pool once, and not while it is in service")
    func keptRows() throws {
        let kept = Tile()
        kept.cost = 1000
        tiles.row = { $0 == 0 ? kept : View() }
        let list = list(0..<1)
        let window = stage.window(showing: list)
        for _ in 0..<3 {
            list.visibleRows = 1..<3
            list.visibleRows = 0..<3
        }
        #expect(kept.window === window)
        #expect(list.dequeueReusableRow("tile") == nil)
        list.visibleRows = 1..<3
        #expect(stage.host.simulateMemoryWarning().released == 1000)
    }

    @Test("at a raised level the backing of a row is discarded as it leaves, whatever kind of view it is (4.13)")
    func rowsUnderPressure() throws {
        let row = NumberedView()
        tiles.row = { _ in row }
        let list = list(0..<1)
        let window = stage.window(showing: list)
        stage.host.deliver(MemoryWarning(level: .warning, isSimulated: false))
        #expect(row.backing != nil)
        list.visibleRows = 0..<0
        #expect(row.backing == nil)
        list.visibleRows = 0..<1
        #expect(row.backing != nil)
        tiles.count = 0
        list.view.setNeedsLayout()
        list.view.layoutIfNeeded()
        #expect(row.backing == nil)
        withExtendedLifetime(window) {}
    }

    @Test("rows that another list has left in a list view go before this list's rows come")
    func otherListsRows() throws {
        let first = FramedList(host: stage.host)
        first.dataSource = tiles
        first.visibleRows = 0..<2
        let window = stage.window(showing: first)
        let frame = try #require(first.frame)
        let second = list(10..<12)
        second.view = View()
        window.rootViewController = second
        second.view.addSubview(frame)
        frame.setNeedsLayout()
        window.layoutIfNeeded()
        #expect(frame.subviews.compactMap { ($0 as? Tile)?.number } == [10, 11])
        #expect(second.rowIfLoaded(at: 0) == nil)
        // The first list does not take the second one's rows out.
        let new = ListView()
        first.view.addSubview(new)
        window.rootViewController = first
        #expect(new.subviews.count == 2)
        #expect(frame.subviews.count == 2)
    }

    // MARK: Off window

    @Test("off window rows leave, and no row is built until the list returns (row 47)")
    func movedOffWindow() {
        let list = list(0..<3)
        let window = stage.window(showing: list)
        window.hide()
        list.visibleRows = 2..<5
        #expect(shown(list) == [2])
        #expect(tiles.built == [0, 1, 2])
        window.makeVisible()
        #expect(shown(list) == [2, 3, 4])
        #expect(tiles.built == [0, 1, 2, 3, 4])
        #expect(tiles.made == 3)
    }

    @Test("a list that returns unchanged builds nothing (3.6)")
    func comesBack() {
        let list = list(0..<3)
        let window = stage.window(showing: list)
        window.hide()
        window.makeVisible()
        #expect(tiles.built == [0, 1, 2])
    }

    @Test("a requested row is built once, without the view, and this row comes into service (row 47)")
    func askedFor() {
        let list = list(0..<3)
        let row = list.row(at: 4)
        #expect(list.row(at: 4) === row)
        #expect(list.rowIfLoaded(at: 4) === row)
        #expect(!list.isViewLoaded)
        let window = stage.window(showing: list)
        list.visibleRows = 1..<4
        #expect(list.rowIfLoaded(at: 4) === row)
        list.visibleRows = 2..<5
        #expect(tiles.built == [4, 0, 1, 2, 3])
        #expect(row.window === window)
    }

    @Test("requesting a row without an item traps; looking it up is harmless")
    func beyondTheEnd() async {
        await #expect(processExitsWith: .failure) {
            let stage = Stage()
            let tiles = Tiles(count: 3)
            let list = ListController(host: stage.host)
            list.dataSource = tiles
            guard list.rowIfLoaded(at: 3) == nil else { return }
            _ = list.row(at: 3)
        }
    }

    // MARK: Warnings

    @Test("a warning empties the pool and counts its bytes; rows in service stay (row 47)")
    func warningOnWindow() {
        let list = list(0..<4)
        let window = stage.window(showing: list)
        _ = list.row(at: 50)
        list.visibleRows = 0..<2
        #expect(stage.host.simulateMemoryWarning().released == 300)
        #expect(list.dequeueReusableRow("tile") == nil)
        #expect(list.rowIfLoaded(at: 50) == nil)
        #expect(shown(list) == [0, 1])
        #expect(window.isVisible)
    }

    @Test("after an unload the same rows are in service again, built again (4.7, 4.18)")
    func unloadAndReload() {
        let list = list(0..<2)
        let window = stage.window(showing: list)
        weak let row = list.rowIfLoaded(at: 0)
        window.hide()
        #expect(stage.host.simulateMemoryWarning().released == 200)
        #expect(!list.isViewLoaded)
        #expect(row == nil)
        window.makeVisible()
        #expect(shown(list) == [0, 1])
        #expect(tiles.built == [0, 1, 0, 1])
        #expect(tiles.made == 4)
    }

    @Test("under the policy keep the pool is emptied, and the rows of the view stay (4.12)")
    func keep() {
        let stage = Stage(policy: .keep)
        let list = ListController(host: stage.host)
        list.dataSource = tiles
        list.visibleRows = 0..<4
        let window = stage.window(showing: list)
        list.visibleRows = 0..<3
        window.hide()
        #expect(stage.host.simulateMemoryWarning().released == 100)
        #expect(shown(list) == [0, 1, 2])
    }

    // MARK: The items change

    @Test("a reload reuses the rows for the present items (row 47)")
    func reload() {
        let list = list(0..<2)
        let window = stage.window(showing: list)
        _ = list.row(at: 7)
        tiles.offset = 1000
        list.reloadRows()
        #expect(shown(list) == [1000, 1001])
        #expect(list.rowIfLoaded(at: 7) == nil)
        #expect(tiles.made == 3)
        window.hide()
        tiles.offset = 2000
        list.reloadRows()
        #expect(shown(list).isEmpty)
        window.makeVisible()
        #expect(shown(list) == [2000, 2001])
        #expect(tiles.made == 3)
    }

    @Test("rows beyond the last item are not shown, and return with their items (row 47)")
    func shrinking() {
        let list = list(0..<4)
        let window = stage.window(showing: list)
        tiles.count = 2
        list.reloadRows()
        #expect(shown(list) == [0, 1])
        list.visibleRows = 1..<5
        #expect(shown(list) == [1])
        tiles.count = 0
        list.reloadRows()
        #expect(shown(list).isEmpty)
        tiles.count = 3
        list.reloadRows()
        #expect(shown(list) == [1, 2])
        #expect(list.visibleRows == 1..<5)
        #expect(window.isVisible)
    }

    @Test("another data source makes the list build all rows; without a data source they leave")
    func otherDataSource() {
        let list = list(0..<2)
        let window = stage.window(showing: list)
        var other: Tiles? = Tiles(count: 1)
        other?.offset = 10
        list.dataSource = other
        #expect(shown(list) == [10])
        other = nil
        #expect(list.dataSource == nil)
        list.visibleRows = 0..<1
        #expect(shown(list).isEmpty)
        #expect(window.isVisible)
    }

    @Test("a change of the range or a reload by the data source takes effect in the next pass")
    func changesWhileBuilding() {
        let list = list(0..<2)
        tiles.whenBuilding = { [unowned list, unowned tiles] index in
            guard index == 1, tiles.built.count == 2 else { return }
            list.visibleRows = 1..<3
            list.reloadRows()
        }
        let window = stage.window(showing: list)
        #expect(shown(list) == [0, 1])
        window.layoutIfNeeded()
        #expect(shown(list) == [1, 2])
        #expect(tiles.built == [0, 1, 1, 2])
    }

    @Test("a row that lies elsewhere or belongs to another item is a fault, and an empty view replaces it (5.7)")
    func refusedRows() {
        let list = list(0..<2)
        let row = Tile()
        tiles.row = { _ in row }
        let window = stage.window()
        #expect(stage.events { window.rootViewController = list } == ["fault:hierarchyInconsistency"])
        #expect(list.rowIfLoaded(at: 0) === row)
        #expect(list.rowIfLoaded(at: 1)?.superview === list.view)

        let spare = Tile()
        tiles.row = { _ in spare }
        #expect(stage.events { _ = (list.row(at: 10), list.row(at: 11)) } == ["fault:hierarchyInconsistency"])
        let c = stage.controller("C")
        tiles.row = { _ in c.view }
        #expect(stage.events { _ = list.row(at: 12) }.last == "fault:hierarchyInconsistency")
        let around = View()
        around.addSubview(c.view)
        tiles.row = { _ in around }
        #expect(stage.events { _ = list.row(at: 13) } == ["fault:hierarchyInconsistency"])
        tiles.row = { _ in window }
        #expect(stage.events { _ = list.row(at: 14) } == ["fault:hierarchyInconsistency"])
    }

    @Test("a row into which its source puts the list's view does not come into the list (5.42)")
    func ring() {
        let list = list(0..<1)
        tiles.row = { [unowned list] _ in
            let row = View()
            row.addSubview(list.view)
            return row
        }
        let window = stage.window()
        #expect(stage.events { window.rootViewController = list }.contains("fault:hierarchyInconsistency"))
        withExtendedLifetime(window) {}
    }

    // MARK: Archives

    @Test("an archive may put the rows anywhere in the view, and may make rows too (1.8, 1.9)")
    func archive() throws {
        stage.host.archives = ListArchive()
        let list = try #require(stage.host.storyboard(named: "Main")?.instantiateInitial() as? ListController)
        list.dataSource = tiles
        list.visibleRows = 0..<2
        let window = stage.window(showing: list)
        let places = list.view.subviews
        #expect(places.map(\.subviews.count) == [2, 0])
        #expect(tiles.built == [0, 1])
        window.hide()
        _ = stage.warn()
        window.makeVisible()
        #expect(list.view.subviews.map(\.subviews.count) == [2, 0])
        #expect(list.view.subviews.first !== places.first)
        let row = RowView(coder: Coder(host: stage.host, properties: Properties(["kind": .string("tile")])))
        #expect(row.kind == "tile")
    }

    @Test("a list with its own view puts the rows into its list view (2.7)")
    func ownView() {
        let list = FramedList(host: stage.host)
        list.dataSource = tiles
        list.visibleRows = 0..<2
        let window = stage.window(showing: list)
        #expect(list.frame?.subviews.count == 2)
        let other = ListView()
        list.frame?.removeFromSuperview()
        list.view.addSubview(other)
        #expect(other.subviews.count == 2)
        #expect(window.isVisible)
    }

    // MARK: Lifetimes

    @Test("a list keeps its rows, not its data source, and nothing keeps the list")
    func leaksNothing() {
        weak var list: ListController?
        weak var source: Tiles?
        weak var row: View?
        weak var pooled: View?
        do {
            let tiles = Tiles(count: 10)
            let made = ListController(host: stage.host)
            made.dataSource = tiles
            made.visibleRows = 0..<3
            let window = stage.window(showing: made)
            pooled = made.rowIfLoaded(at: 0)
            made.visibleRows = 1..<3
            (list, source, row) = (made, tiles, made.rowIfLoaded(at: 1))
            #expect(list != nil && source != nil && row != nil && pooled != nil)
            #expect(window.isVisible)
        }
        #expect(list == nil)
        #expect(source == nil)
        #expect(row == nil)
        #expect(pooled == nil)
    }
}

/// Items that are numbers.
final class Tiles: ListDataSource {
    var count: Int
    var offset = 0
    var share: BudgetShare?
    var kind: (Int) -> String = { _ in "tile" }
    var content: (Int) -> View? = { _ in nil }
    var row: ((Int) -> View)?
    var whenBuilding: (Int) -> Void = { _ in }
    var whenCounting: () -> Void = {}
    var onPrepare: (Tile) -> Void = { tile in
        for subview in tile.subviews { subview.removeFromSuperview() }
    }
    private(set) var built: [Int] = []
    private(set) var made = 0
    fileprivate(set) var prepared = 0

    init(count: Int) {
        self.count = count
    }

    func numberOfRows(in list: ListController) -> Int {
        whenCounting()
        return count
    }

    func listController(_ list: ListController, rowAt index: Int) -> View {
        built.append(index)
        whenBuilding(index)
        if let row { return row(index) }
        let kind = kind(index)
        let row = list.dequeueReusableRow(kind) as? Tile ?? make(kind)
        row.number = offset + index
        row.share = share
        if let content = content(index) { row.addSubview(content) }
        return row
    }

    private func make(_ kind: String) -> Tile {
        made += 1
        let row = Tile(kind: kind)
        row.cost = 100
        row.onPrepare = { [weak self] tile in
            self?.prepared += 1
            self?.onPrepare(tile)
        }
        return row
    }
}

/// A row that shows a number.
final class Tile: RowView {
    var number = 0
    var onPrepare: (Tile) -> Void = { _ in }

    override init(kind: String = "tile") {
        super.init(kind: kind)
    }

    override init(coder: Coder) {
        super.init(coder: coder)
    }

    override func prepareForReuse() { onPrepare(self) }
    override func makeBacking() -> Any? { budget.bytes }
}

/// A view whose backing is the number of backings that it has made.
private final class NumberedView: View {
    private var made = 0

    override func makeBacking() -> Any? {
        made += 1
        return made
    }
}

private final class CountingList: ListController {
    private(set) var passes = 0

    override func viewWillLayoutSubviews() { passes += 1 }
}

private final class FramedList: ListController {
    weak var frame: ListView?

    override func loadView() {
        let frame = ListView()
        view = View()
        view.addSubview(frame)
        self.frame = frame
    }
}

private struct ListArchive: ArchiveSource {
    func nib(named name: String) -> NibArchive? { nil }

    func storyboard(named name: String) -> StoryboardArchive? {
        let place = ArchivedObject(className: "ListView")
        let nib = NibArchive(view: ArchivedObject(subviews: [place, place]))
        let scene = SceneArchive(className: "ListController", view: .archive(nib))
        return StoryboardArchive(initialScene: "list", scenes: ["list": scene])
    }
}
