import ResourceManager

/// A callback in which the walk may call an operation.
///
/// The callbacks that ``LifecycleEvent`` reports come from all controllers, and have its names. The others come only
/// from objects that the walk makes itself.
enum Callback: String, CaseIterable, Sendable {
    /// A loadView has assigned the view, and has not returned.
    case assigned
    case loadView, viewDidLoad, viewWillAppear, viewDidAppear, viewWillDisappear, viewDidDisappear
    case viewWillLayoutSubviews, viewDidLayoutSubviews, didReceiveMemoryWarning, viewWillUnload, viewDidUnload, degrade
    case willMove, didMove, willTransition, didTransition, prepare, `deinit`
    case saveViewState, restoreViewState, encode, decode, row
    case presentationWillBegin, presentationDidEnd, dismissalWillBegin, dismissalDidEnd, containerLayout
    case willShow, didShow, hostDelegate, completion
    /// A property that a subclass overrides is read.
    case question

    /// The groups in which the tables of pairs and triples count callbacks.
    enum Kind: String, CaseIterable, Sendable {
        case load, appearance, layout, move, state, warning, environment, presentation, delegate, completion, `deinit`
    }

    var kind: Kind {
        switch self {
        case .loadView, .assigned, .viewDidLoad: .load
        case .viewWillAppear, .viewDidAppear, .viewWillDisappear, .viewDidDisappear: .appearance
        case .viewWillLayoutSubviews, .viewDidLayoutSubviews, .containerLayout: .layout
        case .willMove, .didMove: .move
        case .saveViewState, .restoreViewState, .encode, .decode: .state
        case .didReceiveMemoryWarning, .viewWillUnload, .viewDidUnload, .degrade: .warning
        case .willTransition, .didTransition: .environment
        case .presentationWillBegin, .presentationDidEnd, .dismissalWillBegin, .dismissalDidEnd: .presentation
        case .willShow, .didShow, .hostDelegate, .row, .prepare, .question: .delegate
        case .completion: .completion
        case .deinit: .deinit
        }
    }

    /// The walk calls an operation in one of this number of callbacks of the kind.
    ///
    /// Rare callbacks have a low number.
    var rarity: Int {
        switch kind {
        case .appearance: 7
        case .move: 6
        case .layout: 5
        case .load: 4
        case .environment: 2
        case .warning: self == .didReceiveMemoryWarning ? 8 : 2
        case .deinit: 2
        case .delegate where self == .question: 12
        case .state, .delegate, .presentation, .completion: 1
        }
    }

    /// The callback that an event reports; `nil` if the walk calls no operation in it.
    init?(_ event: LifecycleEvent) { self.init(rawValue: event.kind.rawValue) }
}
