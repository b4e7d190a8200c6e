/// An operation that the walk can call.
enum Operation: String, CaseIterable, Sendable {
    case push, pop, popTo, popToRoot, setStack, select, setTabs
    case drainPush, drainPop, drainSelect, drainTransition, endDrain
    case addChild, addAny, placeChild, placeBare, misplace, takeOut, removeChild, deepen, transition
    case present, overlay, dismiss
    case setRoot, dropRoot, hide, show, dropWindow, resize, changeMode
    case use, removeUsed, popoverShow, popoverDismiss, segue, rows, reloadRows
    case save, restore, warn, changeLevel, warnAlone, releaseView, load, dropView, assignView, make, release

    /// The groups in which the table of pairs counts operations.
    enum Kind: String, CaseIterable, Sendable {
        case stack, tabs, drain, container, transition, presentation, root, window, environment, popover, segue, list
        case state, memory, lifetime
    }

    var kind: Kind {
        switch self {
        case .push, .pop, .popTo, .popToRoot, .setStack: .stack
        case .select, .setTabs: .tabs
        case .drainPush, .drainPop, .drainSelect, .drainTransition, .endDrain: .drain
        case .addChild, .addAny, .deepen, .placeChild, .placeBare, .misplace, .takeOut, .removeChild, .use, .removeUsed:
            .container
        case .transition: .transition
        case .present, .overlay, .dismiss: .presentation
        case .setRoot, .dropRoot: .root
        case .hide, .show, .dropWindow: .window
        case .resize, .changeMode: .environment
        case .popoverShow, .popoverDismiss: .popover
        case .segue: .segue
        case .rows, .reloadRows: .list
        case .save, .restore: .state
        case .warn, .changeLevel, .warnAlone, .releaseView, .load, .dropView, .assignView: .memory
        case .make, .release: .lifetime
        }
    }

    /// Whether each call counts as an operation (3.25).
    ///
    /// The others call back only in operations of their own, or not at all.
    var isCounted: Bool { [.stack, .tabs, .transition, .presentation, .root, .window, .popover].contains(kind) }

    private static let drawn: [Operation] = allCases.flatMap { operation in
        Array(repeating: operation, count: operation.weight)
    }
    private static let drawnByKind = Dictionary(grouping: allCases.filter { $0 != .deepen }, by: \.kind)

    /// The walk draws operations that change much more often than others, which mostly change nothing or undo earlier changes.
    private var weight: Int {
        switch self {
        case .push, .setStack, .setTabs, .select, .placeChild, .present, .overlay, .show, .addChild, .changeMode, .use:
            4
        case .endDrain: 10
        case .dropWindow, .dropView, .dropRoot, .load, .releaseView, .misplace, .deepen: 1
        default: 2
        }
    }

    /// The kinds of operations that the walk draws in callbacks.
    ///
    /// Kinds that are often refused, or whose callbacks are rare, are listed more than once, so that every pair of an
    /// operation and a callback occurs.
    private static let drawnKinds =
        Kind.allCases + [
            .presentation, .tabs, .tabs, .environment, .stack, .drain, .segue, .list, .transition, .container, .root,
        ]

    static func drawn(by choices: inout Choices, inCallback: Bool) -> Operation {
        guard inCallback, let kind = choices.element(of: drawnKinds) else { return choices.element(of: drawn) ?? .push }
        return choices.element(of: inCallbacks(kind)) ?? .push
    }

    /// The operations of a kind that the walk calls in callbacks.
    static func inCallbacks(_ kind: Kind) -> [Operation] { drawnByKind[kind] ?? [] }
}
