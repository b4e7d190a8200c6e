import ResourceManager

/// One shard in the tab container: the documents of so many days, in an index of their own.
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

    /// No nib: the view is made here.
    override func loadView() { view = ShardView() }

    override func viewDidLoad() {
        let documents = UInt32(clamping: days * Self.documentsPerDay)
        load {
            try IndexContents(documents: 0..<documents)
        } then: { [weak self] result in
            (self?.viewIfLoaded as? ShardView)?.contents = try? result.get()
        }
    }

    /// `search TEXT`: how many documents of the shard have it.
    private func search(_ command: Command) throws -> String {
        guard let contents = (view as? ShardView)?.contents else { throw Refusal("the shard is being built") }
        let words = command.argument.lowercased().split(separator: " ").map { String($0) }
        return "\(contents.find(words).count) hits in \(days) days"
    }

    /// `next`: the shard beside this one.
    private func next(_ command: Command) throws -> String {
        guard let tabs = tabController else { throw Refusal("there is no other shard") }
        tabs.selectedIndex = (tabs.selectedIndex + 1) % tabs.viewControllers.count
        return tabs.selectedViewController?.title ?? ""
    }
}
