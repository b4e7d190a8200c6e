// A service that is described in files.
import ResourceArchives
import ResourceManager

final class TermTable: View {}

final class IndexController: ViewController {
    weak var terms: TermTable?

    override class var outlets: Outlets { super.outlets.adding("terms", \IndexController.terms) }
    override class var actions: Actions { super.actions.adding("rebuild", IndexController.rebuild) }

    func rebuild(_ command: Command) {
        terms?.cost = 0
    }
}

final class HomeController: ViewController {
    override func prepare(for segue: Segue) {
        (segue.destination as? QueryController)?.limit = 100
    }
}

final class QueryController: ViewController {
    var limit = 10

    override func encodeRestorableState(in state: inout Properties) { state["limit"] = limit }
    override func decodeRestorableState(from state: Properties) { limit = state["limit"] ?? 10 }
}

let host = ControllerHost("search")
host.archives = JSONArchives(folders: ["/etc/search/archives"])
host.classes.register(TermTable.init(coder:))
host.classes.register(IndexController.init(coder:))
host.classes.register(HomeController.init(coder:))
host.classes.register(QueryController.init(coder:))

guard let window = host.launch(storyboard: "Main") else { fatalError("the storyboard Main cannot be used") }

let file = RestorationFile(path: "/var/lib/search/state.json")
switch file.read() {
case .none: break
case .state(let state): window.restore(from: state)
case .damaged(let error, let path): print("\(error); starts afresh, the file is kept as \(path ?? file.path)")
}
window.makeVisible()

func stop(_ window: Window) throws {
    try RestorationFile(path: "/var/lib/search/state.json").write(window.restorableState())
}

window.rootViewController?.performSegue(withIdentifier: "search")
try stop(window)
