/// What the walk calls.
enum Operation: String, CaseIterable, Sendable {
    case push, pop, popTo, popToRoot, setStack, select, setTabs
    case drainPush, drainPop, drainSelect, drainTransition, endDrain
    case addChild, addAny, placeChild, takeOut, removeChild, transition
    case present, overlay, dismiss
    case setRoot, dropRoot, hide, show, dropWindow, resize, changeMode
    case popoverShow, popoverDismiss, segue, rows, reloadRows
    case save, restore, warn, warnAlone, releaseView, load, dropView, make, release

    /// What the table of pairs counts them by.
    enum Kind: String, CaseIterable, Sendable {
        case stack, tabs, drain, container, transition, presentation, root, window, environment, popover, segue, list
        case state, memory, lifetime
    }

    var kind: Kind {
        switch self {
        case .push, .pop, .popTo, .popToRoot, .setStack: .stack
        case .select, .setTabs: .tabs
        case .drainPush, .drainPop, .drainSelect, .drainTransition, .endDrain: .drain
        case .addChild, .addAny, .placeChild, .takeOut, .removeChild: .container
        case .transition: .transition
        case .present, .overlay, .dismiss: .presentation
        case .setRoot, .dropRoot: .root
        case .hide, .show, .dropWindow: .window
        case .resize, .changeMode: .environment
        case .popoverShow, .popoverDismiss: .popover
        case .segue: .segue
        case .rows, .reloadRows: .list
        case .save, .restore: .state
        case .warn, .warnAlone, .releaseView, .load, .dropView: .memory
        case .make, .release: .lifetime
        }
    }

    private static let drawn: [Operation] = allCases.flatMap { operation in
        Array(repeating: operation, count: operation.weight)
    }
    private static let drawnByKind: [Kind: [Operation]] = Dictionary(grouping: allCases, by: \.kind)

    /// Those that change most are drawn more often than those that mostly find nothing to do, or undo the work of others.
    private var weight: Int {
        switch self {
        case .push, .setStack, .setTabs, .select, .placeChild, .present, .overlay, .show, .addChild, .changeMode: 4
        case .endDrain: 10
        case .dropWindow, .dropView, .dropRoot, .load, .releaseView: 1
        default: 2
        }
    }

    /// Kinds as they are drawn in callbacks: all equally, apart from those that are refused more often, or whose callbacks are
    /// rare, so that all pairs of an operation and a callback come.
    private static let drawnKinds =
        Kind.allCases + [.presentation, .tabs, .tabs, .environment, .stack, .drain]

    static func drawn(by choices: inout Choices, inCallback: Bool) -> Operation {
        guard inCallback, let kind = choices.element(of: drawnKinds) else { return choices.element(of: drawn) ?? .push }
        return choices.element(of: drawnByKind[kind] ?? []) ?? .push
    }
}
