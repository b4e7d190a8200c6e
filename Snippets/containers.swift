// Controllers in controllers: a stack, alternatives, a container of one's own, presentations, modes, commands.
import ResourceManager

let host = ControllerHost("search")
let window = Window(host: host)

final class QueryController: ViewController {
    nonisolated(nonsending) func finishRequests() async {}
}
final class MaintenanceController: ViewController {}
final class ShardController: ViewController {
    override func viewWillAppear() { startAnswering() }
    override func viewDidDisappear() { stopAnswering() }
    private func startAnswering() {}
    private func stopAnswering() {}
}

let recent = ShardController(host: host)
let archive = ShardController(host: host)
let shards = TabController(host: host, viewControllers: [recent, archive])
let stack = NavigationController(host: host, viewControllers: [shards])
window.rootViewController = stack
window.makeVisible()

shards.selectedIndex = 1  // the archive is loaded; the recent shard is detached, and may be unloaded from now on
let query = QueryController(host: host)
stack.push(query)
await stack.pop { await query.finishRequests() }  // in service until that returns

final class PairController: ViewController {
    private var front: ViewController
    private var back: ViewController

    init(front: ViewController, back: ViewController) {
        self.front = front
        self.back = back
        super.init(host: front.host)
        for child in [front, back] {
            addChild(child)
            child.didMove(toParent: self)
        }
    }

    override var childForAppearance: ViewController? { front }

    func switchOver() {
        swap(&front, &back)
        transition(from: back, to: front)
    }
}

extension PairController {
    func remove(_ child: ViewController) {
        child.willMove(toParent: nil)
        child.viewIfLoaded?.removeFromSuperview()
        child.removeFromParent()
    }
}

let maintenance = MaintenanceController(host: host)
stack.present(maintenance) {
    print("nothing is served now")
}
maintenance.dismiss()

if !window.changeMode(to: "read-only") {
    print("a controller cannot work read-only")
}

final class RebuildController: ViewController {
    override class var actions: Actions {
        super.actions.adding("rebuild", RebuildController.rebuild)
    }

    func rebuild(_ command: Command) -> String { "rebuilt \(command.argument)" }
}

stack.push(RebuildController(host: host))
print(host.handle(Command("rebuild", argument: "terms")))

final class SessionView: RowView {
    var session = 0
    init() { super.init(kind: "session") }
}

final class Sessions: ListDataSource {
    func numberOfRows(in list: ListController) -> Int { 10_000 }

    func listController(_ list: ListController, rowAt index: Int) -> View {
        let row = list.dequeueReusableRow("session") as? SessionView ?? SessionView()
        row.session = index
        return row
    }
}

let sessions = Sessions()
let list = ListController(host: host)
list.dataSource = sessions
list.visibleRows = 0..<32
stack.push(list)

let panel = Popover(contentController: MaintenanceController(host: host))
panel.show(in: window)
panel.dismiss()

final class Takeover: PresentationController {
    override func presentationTransitionWillBegin() { print("takes over") }
    override func dismissalTransitionDidEnd() { print("hands back") }
}

final class BackupController: ViewController {
    override func makePresentationController(
        presenting presenter: ViewController,
        style: PresentationStyle
    ) -> PresentationController {
        Takeover(presented: self, presenting: presenter, style: style)
    }
}
