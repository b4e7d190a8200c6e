import ResourceManager

/// Tests of a list whose rows are numbers.
protocol ListTests {
    var stage: Stage { get }
    var tiles: Tiles { get }
}

extension ListTests {
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
    private(set) var prepared = 0

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

/// A list that counts its layout passes.
final class CountingList: ListController {
    private(set) var passes = 0

    override func viewWillLayoutSubviews() { passes += 1 }
}

/// A list whose view contains the view that holds the rows.
final class FramedList: ListController {
    weak var frame: ListView?

    override func loadView() {
        let frame = ListView()
        view = View()
        view.addSubview(frame)
        self.frame = frame
    }
}
