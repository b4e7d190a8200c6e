// Which one do I need: a cache of many values, one reloadable value, or a controller for a part of the service.
import ResourceManager

func render(_ path: String) async throws -> [UInt8] { [UInt8](repeating: 0, count: 4096) }
func readSynonyms() -> [String: String] { ["RAM": "memory"] }
func readPostings() -> [String: [Int]] { ["memory": [1, 7], "pressure": [7]] }

// Many values by key.
var options = ResourceCache<String, [UInt8]>.Options()
options.weigher = { path, page in path.utf8.count + page.count }
let pages = ResourceCache<String, [UInt8]>("pages", limit: 256 << 20, options: options)

func page(_ path: String) async throws -> [UInt8] {
    try await pages.load(path) { path in try await render(path) }
}

// One value.
let synonyms = Reloadable("synonyms", cost: { $0.count * 64 }, load: { readSynonyms() })

func meaning(of word: String) -> String? {
    synonyms.value()[word]  // loads them, the first time and after a warning
}

struct DictionaryError: Error {}
func readDictionary() throws(DictionaryError) -> [String] { ["memory"] }

let dictionary: Reloadable<[String], DictionaryError> = Reloadable(
    "dictionary",
    cost: { $0.count * 64 },
    load: { () throws(DictionaryError) in try readDictionary() }
)

// A part of the service that is in use at some times, and not at others.
final class IndexView: View {
    let postings = readPostings()

    override init() {
        super.init()
        cost = postings.count * 96
    }
}

final class IndexController: ViewController {
    override func loadView() { view = IndexView() }

    func documents(with term: String) -> [Int] {
        (view as? IndexView)?.postings[term] ?? []
    }
}

let host = ControllerHost("search")
let index = IndexController(host: host)
let window = Window(host: host)
window.rootViewController = index
window.makeVisible()  // loads the index, which is in use from now on
print(index.documents(with: "memory"))
window.hide()  // the next warning takes it, and the next read loads it again

print(try await page("index").count, meaning(of: "RAM") ?? "", index.documents(with: "pressure"))
