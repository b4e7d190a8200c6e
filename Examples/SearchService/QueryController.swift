import ResourceManager

/// One query, pushed on the index or on the query that it refines; over a restart it is kept with its place in the hits.
final class QueryController: ViewController, Described {
    /// The text to search for; set before the view is loaded.
    var text = ""
    /// The additional text for the next query, which is about to be pushed on this one.
    private var refinement = ""
    private weak var hits: HitList?
    private weak var highlighter: Highlighter?
    private let maximumHits: Int
    /// The number of hits that are requested at present.
    private var wanted = 0
    /// The number of hits; `nil` until the index is built.
    private var found: Int?
    /// The position in the hits at which the shown page begins.
    private var position = 0
    /// Whether that page was shown in this run.
    private var isSeen = false
    private var indexBuilt: Registration?

    override init(coder: Coder) {
        maximumHits = coder["maximumHits"] ?? 100
        super.init(coder: coder)
    }

    override class var outlets: Outlets {
        super.outlets
            .adding("hits", \QueryController.hits)
            .adding("highlighter", \QueryController.highlighter)
    }

    override class var actions: Actions {
        super.actions
            .adding("search", QueryController.search)
            .adding("next", QueryController.next)
            .adding("more", QueryController.more)
    }

    var detail: String { "\"\(text)\" from \(position)" }

    /// Shows a page of hits.
    func page() -> String {
        loadViewIfNeeded()
        guard let hits, let found else { return "the index is being built; ask again with next" }
        isSeen = true
        let words = text.lowercased().split(separator: " ").map { String($0) }
        let lines = hits.page(from: position).map { document in
            let text = Documents.text(of: document)
            return "\(document): \(highlighter?.mark(words, in: text) ?? text)"
        }
        return (["\(found) hits for \"\(text)\", from \(position)"] + lines).joined(separator: "\n")
    }

    // MARK: The view

    override func viewDidLoad() {
        fetch()
        indexBuilt = host.onNotification(IndexBuilt.self) { [weak self] _ in self?.fetch() }
    }

    override func viewDidUnload() { indexBuilt = nil }

    /// The index is at the bottom of the stack, also after a restart, when no segue has led here.
    private var index: IndexController? { navigationController?.viewControllers.first as? IndexController }

    private func fetch() {
        let all = index?.find(text)
        found = all?.count
        wanted = min(maximumHits, max(wanted, position + (hits?.pageSize ?? 0)))
        hits?.hits = Array((all ?? []).prefix(wanted))
    }

    // MARK: Commands

    /// `search TEXT`: pushes a query for documents that also contain the text.
    private func search(_ command: Command) throws -> String {
        guard !command.argument.isEmpty else { throw Refusal("name a text that the hits have to contain as well") }
        refinement = command.argument
        performSegue(withIdentifier: "refine")
        return (navigationController?.topViewController as? QueryController)?.page() ?? ""
    }

    /// `next`: shows the first page that was not shown yet, while there are hits.
    private func next(_ command: Command) -> String {
        if isSeen, let found, let hits, position + hits.pageSize < min(found, maximumHits) {
            position += hits.pageSize
            // It is not shown either while the index is being built.
            isSeen = false
        }
        return page()
    }

    /// The list of hits has reached its end.
    private func more(_ command: Command) {
        guard let hits, wanted < maximumHits else { return }
        wanted = position + hits.pageSize
        fetch()
    }

    override func prepare(for segue: Segue) {
        (segue.destination as? QueryController)?.text = "\(text) \(refinement)"
    }

    // MARK: Over a restart

    override func encodeRestorableState(in state: inout Properties) {
        state["text"] = text
        state["position"] = position
    }

    override func decodeRestorableState(from state: Properties) {
        text = state["text"] ?? ""
        position = state["position"] ?? 0
    }
}
