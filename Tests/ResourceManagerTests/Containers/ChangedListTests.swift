import Testing

@testable import ResourceManager

/// Lists whose rows, views and ranges are changed by callbacks and by the program (rule 3.24).
@Suite(.onTwoThreads)
struct ChangedListTests: ListTests {
    let stage = Stage()
    let tiles = Tiles(count: 100)

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

    @Test("a data source that replaces itself in a layout pass has its items shown when the pass's call returns (3.24)")
    func replacedInAPass() {
        let list = list(0..<4)
        let window = stage.window(showing: list)
        let other = Tiles(count: 1)
        tiles.whenCounting = { [unowned list] in list.dataSource = other }
        list.view.setNeedsLayout()
        list.view.layoutIfNeeded()
        #expect(shown(list) == [0])
        #expect(other.built == [0])
        withExtendedLifetime(window) {}
    }

    @Test("rows that a data source makes out of date in a layout pass are rebuilt when the pass's call returns (3.24)")
    func reloadedInAPass() {
        let list = list(0..<4)
        tiles.whenBuilding = { [unowned list, unowned tiles] in
            guard $0 == 2, tiles.offset == 0 else { return }
            tiles.offset = 10
            list.reloadRows()
        }
        let window = stage.window(showing: list)
        #expect(shown(list) == [10, 11, 12, 13])
        withExtendedLifetime(window) {}
    }

    @Test("a change of a list sixteen operations deep is refused with a fault, and changes nothing (3.25)")
    func refusedChange() {
        let list = list(0..<2)
        let window = stage.window(showing: list)
        let other = Tiles(count: 1)
        let views = (0..<16).map { _ in CallingView() }
        for view in views { window.addSubview(view) }
        for (view, inner) in zip(views, views.dropFirst()) { view.call = { inner.layoutIfNeeded() } }
        var built = tiles.built
        views[15].call = { [tiles] in
            built = tiles.built
            list.visibleRows = 5..<7
            list.reloadRows()
            list.dataSource = other
            #expect(tiles.built == built)
        }
        for view in views { view.setNeedsLayout() }
        #expect(stage.events { views[0].layoutIfNeeded() } == Array(repeating: "fault:tooManyOperations", count: 3))
        #expect(list.visibleRows == 0..<2 && list.dataSource === tiles)
        #expect(tiles.built == built && shown(list) == [0, 1])
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

    @Test("a list view that the list has left divides its budget again when its rows leave")
    func formerListView() throws {
        tiles.share = BudgetShare()
        let list = FramedList(host: stage.host)
        list.dataSource = tiles
        list.visibleRows = 0..<3
        let window = stage.window(showing: list)
        window.resize(to: Budget(bytes: 400))
        let former = try #require(list.frame)
        let shard = View()
        shard.share = BudgetShare()
        former.addSubview(shard)
        window.addSubview(former)
        former.layoutIfNeeded()
        #expect(shard.budget.bytes == 100)
        list.view.addSubview(ListView())
        list.reloadRows()
        #expect(former.subviews.count == 1)
        #expect(shard.budget.bytes == 400)
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

    @Test("a change that the source requests before a layout in mid-pass takes effect", arguments: [false, true])
    func changedBeforeNestedPass(isReload: Bool) {
        let list = list(0..<0)
        let window = stage.window(showing: list)
        tiles.whenBuilding = { [unowned list, unowned tiles, unowned window] index in
            guard index == 1 else { return }
            tiles.whenBuilding = { _ in }
            if isReload {
                tiles.count = 2
                tiles.offset = 10
                list.reloadRows()
            } else {
                list.visibleRows = 0..<1
            }
            window.resize(to: Budget(bytes: 500))
        }
        list.visibleRows = 0..<3
        #expect(shown(list) == (isReload ? [10, 11] : [0]))
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

    @Test("a row that its source makes out of date while it builds it is not kept")
    func reloadedWhileBuilt() {
        let list = list(0..<0)
        tiles.whenBuilding = { [unowned list, unowned tiles] _ in
            tiles.whenBuilding = { _ in }
            tiles.offset = 100
            list.reloadRows()
        }
        let row = list.row(at: 1)
        #expect(list.rowIfLoaded(at: 1) == nil)
        let window = stage.window(showing: list)
        list.visibleRows = 0..<3
        #expect(shown(list) == [100, 101, 102])
        #expect(row.superview == nil && window.isVisible)
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

    @Test("a change of the range or a reload by the data source takes effect in a pass before the call returns")
    func changesWhileBuilding() {
        let list = list(0..<2)
        tiles.whenBuilding = { [unowned list, unowned tiles] index in
            guard index == 1, tiles.built.count == 2 else { return }
            list.visibleRows = 1..<3
            list.reloadRows()
        }
        let window = stage.window(showing: list)
        #expect(shown(list) == [1, 2])
        #expect(tiles.built == [0, 1, 1, 2])
        withExtendedLifetime(window) {}
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
}
