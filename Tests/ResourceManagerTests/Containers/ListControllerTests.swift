import Testing

@testable import ResourceManager

@Suite(.onTwoThreads)
struct ListControllerTests: ListTests {
    let stage = Stage()
    let tiles = Tiles(count: 100)

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

/// A view whose backing is the number of backings that it has made.
private final class NumberedView: View {
    private var made = 0

    override func makeBacking() -> Any? {
        made += 1
        return made
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
