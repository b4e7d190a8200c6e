import ResourceManager

/// A callback in which the walk may do something.
///
/// Those that ``LifecycleEvent`` has come of every controller, by their names; the others of what the walk makes itself.
enum Callback: String, CaseIterable, Sendable {
    case loadView, viewDidLoad, viewWillAppear, viewDidAppear, viewWillDisappear, viewDidDisappear
    case viewWillLayoutSubviews, viewDidLayoutSubviews, didReceiveMemoryWarning, viewWillUnload, viewDidUnload, degrade
    case willMove, didMove, willTransition, didTransition, prepare, `deinit`
    case saveViewState, restoreViewState, encode, decode, row
    case presentationWillBegin, presentationDidEnd, dismissalWillBegin, dismissalDidEnd, containerLayout
    case willShow, didShow, hostDelegate, completion

    /// What the tables of pairs and triples count them by.
    enum Kind: String, CaseIterable, Sendable {
        case load, appearance, layout, move, state, warning, environment, presentation, delegate, completion, `deinit`
    }

    var kind: Kind {
        switch self {
        case .loadView, .viewDidLoad: .load
        case .viewWillAppear, .viewDidAppear, .viewWillDisappear, .viewDidDisappear: .appearance
        case .viewWillLayoutSubviews, .viewDidLayoutSubviews, .containerLayout: .layout
        case .willMove, .didMove: .move
        case .saveViewState, .restoreViewState, .encode, .decode: .state
        case .didReceiveMemoryWarning, .viewWillUnload, .viewDidUnload, .degrade: .warning
        case .willTransition, .didTransition: .environment
        case .presentationWillBegin, .presentationDidEnd, .dismissalWillBegin, .dismissalDidEnd: .presentation
        case .willShow, .didShow, .hostDelegate, .row, .prepare: .delegate
        case .completion: .completion
        case .deinit: .deinit
        }
    }

    /// An operation is called in one of so many: the rarer a callback is, the more often.
    var rarity: Int {
        switch kind {
        case .appearance: 7
        case .move: 6
        case .layout: 5
        case .load: 4
        case .environment: 3
        case .warning: self == .didReceiveMemoryWarning ? 8 : 2
        case .deinit: 2
        case .state, .delegate, .presentation, .completion: 1
        }
    }

    /// The one that an event announces; `nil` for those in which the walk does nothing.
    init?(_ event: LifecycleEvent) { self.init(rawValue: event.kind.rawValue) }
}
