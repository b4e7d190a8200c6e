internal import CLinux

/// How deep the operations of a host are nested, and how many steps the outermost has taken (rule 3.25).
struct OperationBounds {
    static let depth = 16
    static let steps = 1_000
    static let layouts = 10_000
    /// How many handlers of faults may run in each other: a handler may make a call that is refused too.
    static let faultHandlers = 4
    /// What an operation on the deepest legal tree takes, 253 KiB in a release build, and room for the program's callbacks.
    static let stackSpace = 320 << 10

    private var depth = 0
    private var steps = 0
    /// How many operations that only lay out began in the outermost one: if each begins two others, the depth alone
    /// permits 65 536.
    private var layoutsBegun = 0
    /// How many of the outermost operations only lay out: each operation that their callbacks begin has its own steps.
    private var layouts = 0

    /// Begins an operation, which has to be ended; refused if it comes from a callback and exceeds the bounds.
    mutating func begin(isStackScarce: @autoclosure () -> Bool) -> Bool {
        if depth == 0 { layoutsBegun = 0 }
        if depth == layouts { steps = 0 }
        guard depth == 0 || depth < Self.depth && steps < Self.steps && !isStackScarce() else { return false }
        depth += 1
        return true
    }

    /// Begins an operation that only lays out, which has to be ended; refused if it comes from a callback and exceeds the
    /// bounds.
    ///
    /// It takes no steps, so a large tree can be laid out from its callbacks.
    mutating func beginLayout(isStackScarce: @autoclosure () -> Bool) -> Bool {
        guard depth == 0 || depth < Self.depth && layoutsBegun < Self.layouts && !isStackScarce() else { return false }
        if depth == layouts { layouts += 1 }
        resume()
        layoutsBegun += 1
        return true
    }

    /// Continues an operation that began before; never refused.
    mutating func resume() {
        if depth == 0 { (steps, layoutsBegun) = (0, 0) }
        depth += 1
    }

    /// Ends an operation.
    mutating func end() {
        depth -= 1
        layouts = min(layouts, depth)
    }

    var areUnderWay: Bool { depth > 0 }

    /// Counts one callback.
    mutating func step() {
        steps += 1
    }
}

extension ControllerHost {
    /// Begins an operation, which has to be ended with ``endOperation()``; if it exceeds the bounds, reports a fault
    /// and returns `false`.
    func beginOperation(by object: AnyObject) -> Bool {
        if operations.begin(isStackScarce: stack_is_scarce(OperationBounds.stackSpace)) { return true }
        report(.tooManyOperations, by: object)
        return false
    }

    /// Begins an operation that only lays out; otherwise like ``beginOperation(by:)``.
    func beginLayout(by object: AnyObject) -> Bool {
        if operations.beginLayout(isStackScarce: stack_is_scarce(OperationBounds.stackSpace)) { return true }
        report(.tooManyOperations, by: object)
        return false
    }

    func endOperation() {
        operations.end()
        settle()
    }

    /// Divides budgets again, and discards backings, as far as the call that ends here has caused it.
    func settle() {
        // The layouts may take out further views, but not for ever.
        var rounds = 0
        while rounds < OperationBounds.depth, dividedAnew.count > 0 {
            rounds += 1
            divideAnew()
        }
        discardBackingsIfRaised()
    }

    /// Divides the budgets of the views in the list.
    ///
    /// A view in the middle of its layout waits for the end of the call around it: otherwise its layout could go on for
    /// ever.
    private func divideAnew() {
        // A view is in the list once for each change of a share: a layout that makes several would be repeated as often.
        var seen: Set<ObjectIdentifier> = []
        Swift.exchange(&dividedAnew, with: WeakList()).visit { view in
            guard seen.insert(ObjectIdentifier(view)).inserted else { return }
            if view.isLayingOut { return dividedAnew.append(view) }
            if view.window != nil { view.layOut() }
        }
    }

    /// Discards the backings of views that have left their window, at the end of all operations that may bring them
    /// back: while a level lasts, another warning may never come (rule 4.13).
    func discardBackingsIfRaised() {
        if !operations.areUnderWay, level > .normal { discardVolatileBackings() }
    }
}
