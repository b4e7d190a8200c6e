import ResourceManager

/// The index: loaded from its nib, filled in the background, coarser while memory is short.
final class IndexController: ViewController, Described {
    private weak var terms: TermTable?
    private weak var postings: PostingsView?
    /// Not weak, since no view keeps it; it is released together with the view nevertheless.
    private var tokenizer: Tokenizer?
    private let fullPrecision: Int
    /// The text for the next query, which is about to be pushed.
    private var text = ""

    override init(coder: Coder) {
        fullPrecision = coder["precision"] ?? PostingsView.wholePrecision
        super.init(coder: coder)
    }

    override class var outlets: Outlets {
        super.outlets
            .adding("terms", \IndexController.terms)
            .adding("postings", \IndexController.postings)
            .adding("tokenizer", \IndexController.tokenizer)
    }

    override class var actions: Actions {
        super.actions
            .adding("rebuild", IndexController.rebuild)
            .adding("search", IndexController.search)
            .adding("next", IndexController.next)
    }

    /// The number of sixteenths of the postings that the index keeps.
    var precision: Int { isDegraded ? max(1, fullPrecision / 4) : fullPrecision }

    var detail: String { postings.map { "precision \($0.precision)" } ?? "" }

    /// The documents that contain all words of a text; loads the index if it was released.
    ///
    /// - Returns: `nil` while the index is being built; ``IndexBuilt`` tells when it is.
    func find(_ text: String) -> [UInt32]? {
        loadViewIfNeeded()
        guard let terms, let postings, let tokenizer, !terms.terms.isEmpty else { return nil }
        let lists = tokenizer.words(in: text).map { word in terms.terms[word].map { postings.lists[$0] } ?? [] }
        return IndexContents.intersection(lists)
    }

    // MARK: The view

    override func viewDidLoad() { build() }

    override func saveViewState(in state: inout Properties) { state["cursor"] = terms?.cursor }

    override func restoreViewState(from state: Properties) { terms?.cursor = state["cursor"] ?? 0 }

    /// Memory is short and the index is in use: keeps only the best part.
    override func degrade() -> Int { postings?.coarsen(to: precision) ?? 0 }

    override func recover() { if isViewLoaded { build() } }

    private func build() {
        guard let documents = (viewIfLoaded as? IndexView)?.documents else { return }
        load {
            try IndexContents(documents: 0..<documents)
        } then: { [weak self] result in
            // It fails only if no code waits for it any more.
            if let contents = try? result.get() { self?.fill(contents) }
        }
    }

    private func fill(_ contents: IndexContents) {
        guard let terms, let postings else { return }
        terms.fill(contents.terms)
        postings.fill(contents.postings, precision: precision)
        host.post(IndexBuilt(terms: terms.terms.count, bytes: terms.cost + postings.cost))
    }

    // MARK: Commands

    /// `rebuild`: builds the index again in the background; until that is done the old index serves.
    private func rebuild(_ command: Command) -> String {
        if isViewLoaded { build() } else { loadViewIfNeeded() }
        return "building"
    }

    /// `search TEXT`: pushes a query.
    private func search(_ command: Command) throws -> String {
        guard viewIfLoaded?.window != nil else { throw Refusal("the index is not in service; go back first") }
        guard !command.argument.isEmpty else { throw Refusal("say what to search for: \(Documents.vocabulary[0])") }
        text = command.argument
        performSegue(withIdentifier: "search")
        return (navigationController?.topViewController as? QueryController)?.page() ?? ""
    }

    /// `next`: shows the next terms.
    private func next(_ command: Command) -> String { terms?.nextPage().joined(separator: " ") ?? "" }

    /// One presentation at a time.
    override func shouldPerformSegue(withIdentifier identifier: String) -> Bool { presentedViewController == nil }

    override func prepare(for segue: Segue) {
        (segue.destination as? QueryController)?.text = text
    }
}
