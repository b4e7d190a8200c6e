// The examples of the reference, and the code that they need around them.
import ResourceManager

final class IndexView: View {}
final class TermsView: View {
    var terms: [String] = []
}
final class GalleryController: ViewController {}

enum Classes {
    final class IndexController: ViewController {
        override func loadView() { view = IndexView() }
        override func viewWillAppear() { startAnswering() }
        override func viewDidDisappear() { stopAnswering() }
    }
}
func startAnswering() {}
func stopAnswering() {}

enum NamedActions {
    final class IndexController: ViewController {
        override class var actions: Actions {
            super.actions.adding("rebuild", IndexController.rebuild)
        }
        func rebuild(_ command: Command) -> String { "rebuilt \(command.argument)" }
    }
}

enum NamedOutlets {
    final class IndexController: ViewController {
        weak var terms: TermsView?
        override class var outlets: Outlets { super.outlets.adding("terms", \IndexController.terms) }
    }
}

func divide(_ index: View, _ pages: View) {
    index.share = BudgetShare(bytes: .init(minimum: 64 << 20, weight: 3))
    pages.share = BudgetShare(bytes: .init(maximum: 512 << 20))
}

final class IndexController: ViewController {}

func register(in host: ControllerHost) {
    host.classes.register(IndexController.init(coder:))
    host.classes.register(TermsView.init(coder:))
}

final class TermsController: ViewController {
    override func viewDidLoad() {
        load {
            try await fetchTerms()
        } then: { [weak self] terms in
            (self?.viewIfLoaded as? TermsView)?.terms = (try? terms.get()) ?? []
        }
    }
}
func fetchTerms() async throws -> [String] { [] }

func record(_ host: ControllerHost, _ window: Window) {
    let trace = TraceRecorder(host)
    window.makeVisible()
    assert(trace.take().prefix(2) == ["GalleryController.loadView", "GalleryController.viewDidLoad"])
}

let host = ControllerHost("gallery")
let window = Window(host: host)
window.rootViewController = GalleryController(host: host)
window.makeVisible()

final class StatusController: ViewController {}

func show(in window: Window, _ host: ControllerHost) -> Popover {
    let panel = Popover(contentController: StatusController(host: host))
    panel.show(in: window)
    return panel
}

final class TileView: RowView {
    var tile: [UInt8] = []
    init() { super.init(kind: "tile") }
}

final class Tiles: ListDataSource {
    let tiles: [[UInt8]] = []

    func numberOfRows(in list: ListController) -> Int { tiles.count }

    func listController(_ list: ListController, rowAt index: Int) -> View {
        let row = list.dequeueReusableRow("tile") as? TileView ?? TileView()
        row.tile = tiles[index]
        return row
    }
}

struct Terms {}
func loadTerms(from path: String = "") -> Terms { Terms() }

enum LazyProperties {
    final class IndexController: ViewController {
        @LazyResource var terms: Terms = loadTerms()

        override func didReceiveMemoryWarning() {
            super.didReceiveMemoryWarning()
            if viewIfLoaded?.window == nil { $terms.drop() }
        }
    }

    final class OtherController: ViewController {
        @LazyResource var terms: Terms

        init(path: String, host: ControllerHost) {
            _terms = LazyResource { loadTerms(from: path) }
            super.init(host: host)
        }
    }
}
