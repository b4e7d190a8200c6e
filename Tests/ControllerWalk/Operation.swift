/// What the walk calls.
enum Operation: String, CaseIterable, Sendable {
    case push, pop, popTo, popToRoot, setStack, select, setTabs
    case drainPush, drainPop, drainSelect, drainTransition, endDrain
    case addChild, addAny, placeChild, takeOut, removeChild, transition
    case present, overlay, dismiss
    case setRoot, dropRoot, hide, show, dropWindow, resize, changeMode
    case popoverShow, popoverDismiss, segue, rows, reloadRows
    case save, restore, warn, releaseView, load, dropView, make, release

    /// Those that change most are drawn more often than those that mostly find nothing to do, or undo the work of others.
    private static let drawn: [Operation] = allCases.flatMap { operation in
        Array(repeating: operation, count: operation.weight)
    }

    private var weight: Int {
        switch self {
        case .push, .setStack, .setTabs, .select, .placeChild, .present, .overlay, .show, .addChild: 4
        case .endDrain: 10
        case .dropWindow, .dropView, .dropRoot, .warn, .load, .releaseView: 1
        default: 2
        }
    }

    static func drawn(by choices: inout Choices) -> Operation { choices.element(of: drawn) ?? .push }
}
