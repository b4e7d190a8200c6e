/// Selects the events that count.
enum Alphabet: String, Sendable {
    case core
    case containment
    case nib
    case segue
    case modal
    case host
    case backing
    case layout
    case env
    case envEvents
    case save
    case cache
    case any

    private static let appearance: Set = [
        "viewWillAppear", "viewDidAppear", "viewWillDisappear", "viewDidDisappear",
    ]
    private static let layoutPair: Set = ["viewWillLayoutSubviews", "viewDidLayoutSubviews"]
    private static let transitions: Set = ["willTransition", "didTransition"]
    static let coreKinds: Set = appearance.union(layoutPair).union([
        "init", "init(coder:)", "awakeFromNib", "loadView", "viewDidLoad", "didReceiveMemoryWarning", "viewWillUnload",
        "viewDidUnload", "deinit",
    ])

    /// Faults always count.
    func counts(_ event: Event) -> Bool {
        event.kind == "fault" || self == .any || kinds.contains(event.kind)
    }

    private var kinds: Set<String> {
        switch self {
        case .core: Self.coreKinds
        case .containment: Self.coreKinds.union(["willMove", "didMove", "transitionCompletion"])
        case .nib: Self.coreKinds.union(["connect", "connectAction", "result"])
        case .segue: Self.coreKinds.union(["shouldPerformSegue", "prepare"])
        case .modal: Self.coreKinds.union(["presentCompletion", "dismissCompletion"])
        case .host:
            Self.coreKinds.union([
                "applicationDidReceiveMemoryWarning", "memoryWarningNotification", "pressure", "willEvict",
            ])
        case .backing:
            Self.appearance.union(Self.layoutPair).union([
                "didReceiveMemoryWarning", "view.backingCreated", "view.backingDiscarded", "view.backingRebuilt",
            ])
        case .layout:
            Self.coreKinds.union([
                "view.layoutSubviews", "presentation.containerViewWillLayoutSubviews",
                "presentation.containerViewDidLayoutSubviews",
            ])
        case .env: Self.transitions.union(Self.layoutPair).union(["loadView"])
        case .envEvents: Self.transitions
        case .save: Self.coreKinds.union(["saveViewState"])
        case .cache: ["willEvict", "get", "begin", "discarded", "isDiscarded", "read"]
        case .any: []
        }
    }
}
