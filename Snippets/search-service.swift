// A service whose index is built at first use and given back when memory is short and nobody uses it.
import ResourceManager

final class Index: View {
    let words = (0..<1_000_000).map { "word \($0)" }
    override init() {
        super.init()
        cost = words.count * 32
    }
}

final class IndexController: ViewController {
    override func loadView() { view = Index() }
}

let host = ControllerHost("search")
var options = ResourceCache<String, [UInt8]>.Options()
options.weigher = { path, page in path.utf8.count + page.count }
let pages = ResourceCache<String, [UInt8]>("pages", limit: 256 << 20, options: options)
let index = IndexController(host: host)

@MainActor func find(_ word: String) -> Bool {
    guard let index = index.view as? Index else { return false }  // loads it, the first time and after a warning
    return index.words.contains(word)
}

print(find("word 7"), pages.count)
try await host.run()
