import ResourceManager

/// One shard in the tab container: the documents of some days, in a separate index.
final class ShardController: ViewController, Described {
    private static let documentsPerDay = 100
    private let days: Int

    override init(coder: Coder) {
        days = coder["days"] ?? 1
        super.init(coder: coder)
    }

    override class var actions: Actions {
        super.actions
            .adding("search", ShardController.search)
            .adding("next", ShardController.next)
    }

    var detail: String { "\(days) days" }

    /// Makes the view here; there is no nib.
    override func loadView() { view = ShardView() }

    override func viewDidLoad() {
        let documents = UInt32(clamping: days * Self.documentsPerDay)
        load {
            try IndexContents(documents: 0..<documents)
        } then: { [weak self] result in
            (self?.viewIfLoaded as? ShardView)?.contents = try? result.get()
        }
    }

    /// `search TEXT`: the number of the shard's documents that contain the text.
    private func search(_ command: Command) throws -> String {
        guard let contents = (view as? ShardView)?.contents else { throw Refusal("the shard is being built") }
        let words = command.argument.lowercased().split(separator: " ").map { String($0) }
        return "\(contents.find(words).count) hits in \(days) days"
    }

    /// `next`: shows the next shard.
    private func next(_ command: Command) throws -> String {
        guard let tabs = tabController else { throw Refusal("there is no other shard") }
        tabs.selectedIndex = (tabs.selectedIndex + 1) % tabs.viewControllers.count
        return tabs.selectedViewController?.title ?? ""
    }
}
