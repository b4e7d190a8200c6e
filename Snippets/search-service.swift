// A service whose index stays while it is in use, and is released when memory is short and it is not in use.
import ResourceManager

final class Index: View {
    let words = (0..<1_000_000).map { "word \($0)" }
    override init() {
        super.init()
        cost = words.count * 16  // strings of up to 15 bytes lie in the array itself
    }
}

final class IndexController: ViewController {
    override func loadView() { view = Index() }

    func contains(_ word: String) -> Bool {
        (view as? Index)?.words.contains(word) ?? false  // builds the index if it is not there
    }
}

var options = ResourceCache<String, [UInt8]>.Options()
options.weigher = { path, page in path.utf8.count + page.count }
let pages = ResourceCache<String, [UInt8]>("pages", limit: 256 << 20, options: options)

let host = ControllerHost("search")
let index = IndexController(host: host)
let window = Window(host: host)
window.rootViewController = index
window.makeVisible()  // builds the index; it stays until the first warning after window.hide()

for number in 0..<100 { pages.insert([UInt8](repeating: 0, count: 1 << 20), for: "page \(number)") }
print(index.contains("word 7"), pages.count)  // a warning takes about half of the pages
try await host.run()
