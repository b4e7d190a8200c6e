// An index that is built at first use, and a pool that exists only while its view is in service.
import ResourceManager

final class IndexView: View {
    let postings: [String: [Int]]

    init(postings: [String: [Int]]) {
        self.postings = postings
        super.init()
        cost = postings.count * 96
    }
}

final class IndexController: ViewController {
    override func loadView() {
        view = IndexView(postings: readPostings())
    }

    func documents(with term: String) -> [Int] {
        (view as? IndexView)?.postings[term] ?? []  // builds the index if it is not there
    }
}

func readPostings() -> [String: [Int]] { ["memory": [1, 7], "pressure": [7]] }

extension IndexController {
    var health: String { isViewLoaded ? "warm" : "cold" }
    var termCount: Int { (viewIfLoaded as? IndexView)?.postings.count ?? 0 }
}

// Only while it is on window.
final class QueryView: View {
    override func makeBacking() -> Any? { ConnectionPool(count: budget.slots) }
    override var backingCost: Int { (backing as? ConnectionPool)?.bytes ?? 0 }
}

final class ConnectionPool {
    let bytes: Int
    init(count: Int) { bytes = count * 65_536 }
}

// Values that are not views, and can be made again too.
struct Synonyms {
    let words: [String: String]
}

func readSynonyms() -> Synonyms { Synonyms(words: ["RAM": "memory"]) }

final class SynonymController: ViewController {
    @LazyResource var synonyms: Synonyms = readSynonyms()

    override func didReceiveMemoryWarning() {
        super.didReceiveMemoryWarning()
        $synonyms.drop()
    }
}

let host = ControllerHost("search")
let index = IndexController(host: host)
print(index.health, index.documents(with: "memory"), index.health)
