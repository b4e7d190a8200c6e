import ResourceManager

/// Objects whose deinits look at the object that held them, and a host that ends in its own delivery, in optimised code: there
/// the compiler may destroy a value before the access that replaces it has ended, and may keep no reference for a caller.
enum Destructions {
    private final class Backing {
        weak var view: BackedView?
        init(_ view: BackedView) { self.view = view }
        deinit { view?.looks += view?.backing == nil ? 1 : 0 }
    }

    private final class BackedView: View {
        var looks = 0
        override func makeBacking() -> Any? { Backing(self) }
    }

    private final class Archives: ArchiveSource {
        weak var host: ControllerHost?
        init(_ host: ControllerHost) { self.host = host }
        deinit { precondition(host?.archives == nil) }
        func nib(named name: String) -> NibArchive? { nil }
        func storyboard(named name: String) -> StoryboardArchive? { nil }
    }

    private final class Row: RowView {
        weak var list: ListController?
        deinit { _ = list?.rowIfLoaded(at: 0) }
    }

    private final class Rows: ListDataSource {
        var builds = 0
        func numberOfRows(in list: ListController) -> Int { 1 }
        func listController(_ list: ListController, rowAt index: Int) -> View {
            builds += 1
            if builds == 1 { _ = list.row(at: index) }
            let row = Row(kind: "row")
            row.list = list
            return row
        }
    }

    private final class Owner: ControllerHostDelegate {
        var hosts: [ControllerHost] = []

        func controllerHost(_ host: ControllerHost, didReceiveMemoryWarning warning: MemoryWarning) {
            hosts = []
        }
    }

    @MainActor private static var owner = Owner()

    @MainActor
    private static func checkDelivery() {
        owner.hosts = [ControllerHost("a"), ControllerHost("b")]
        for host in owner.hosts { host.delegate = owner }
        weak let first = owner.hosts.first
        let release = owner.hosts.first.map { $0.deliver(MemoryWarning(level: .warning, isSimulated: false)) }
        precondition(release?.released == 0)
        precondition(first == nil, "the delivery keeps its host after its end")
        // The address sanitizer does not see that a living object refers to the memory of its weak references.
        owner = Owner()
    }

    @MainActor
    static func check() {
        checkDelivery()
        let host = ControllerHost("destructions")
        let view = BackedView()
        let controller = ViewController(host: host)
        controller.view = view
        let window = Window(host: host)
        window.rootViewController = controller
        window.makeVisible()
        window.hide()
        host.simulateMemoryWarning()
        precondition(view.looks == 1, "the backing was not discarded")

        host.archives = Archives(host)
        host.archives = nil

        let (list, rows) = (ListController(host: host), Rows())
        list.dataSource = rows
        _ = list.row(at: 0)
        precondition(rows.builds == 2)
        withExtendedLifetime((window, rows)) {}
    }
}
