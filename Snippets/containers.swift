// Controllers in controllers: a stack, alternatives, a custom container, presentations, modes, commands.
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
await stack.pop { await query.finishRequests() }  // the query stays in service until the closure returns

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
        if !transition(from: back, to: front) { swap(&front, &back) }
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

// A controller that works in two modes, and does less on a small machine.
extension Environment.Mode {
    static let readOnly: Environment.Mode = "read-only"
}

final class WriterController: ViewController {
    private var batch = 0

    override init(host: ControllerHost) {
        super.init(host: host)
        supportedModes = [.normal, .readOnly]
    }

    override func willTransition(to environment: Environment) {
        let memory: Environment.MemoryClass = environment.memoryClass
        batch = environment.mode == .readOnly ? 0 : memory == .small ? 100 : 10_000
    }
}

let capacity: Capacity = host.capacity
print("\(capacity.memoryUsed >> 20) of \(capacity.memoryLimit >> 20) MiB, \(capacity.cores) processors")

// The controllers that a stack shows, for a log.
final class StackLog: NavigationControllerDelegate {
    func navigationController(_ navigationController: NavigationController, didShow controller: ViewController) {
        print("shows \(controller.title ?? "a controller"), \(navigationController.viewControllers.count) deep")
    }
}

let log = StackLog()
stack.delegate = log

final class RebuildController: ViewController {
    override class var actions: Actions {
        super.actions.adding("rebuild", RebuildController.rebuild)
    }

    func rebuild(_ command: Command) -> String { "rebuilt \(command.argument)" }
}

stack.push(RebuildController(host: host))
let outcome: CommandOutcome = host.handle(Command("rebuild", argument: "terms"))
switch outcome {
case .done(let answer): print(answer)
case .failed(let reason): print("failed: \(reason)")
case .unhandled: print("nothing shown knows it")
}

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

// A list whose rows lie beside another view.
final class SessionsController: ListController {
    override func loadView() {
        view = View()
        view.addSubview(View())
        view.addSubview(ListView())
    }
}

let sessions = Sessions()
let list = SessionsController(host: host)
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
