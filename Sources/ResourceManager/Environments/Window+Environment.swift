extension Window {
    /// Changes the environment of the window's controllers.
    ///
    /// The change reaches the root and all its children at every level, shown or not, then the controllers that they
    /// present, but no children of a controller that does not forward
    /// (``ViewController/shouldAutomaticallyForwardAppearanceMethods``). It calls
    /// ``ViewController/willTransition(to:)`` on all, parents first; then makes a layout pass of the views on window;
    /// then calls ``ViewController/didTransition(to:)`` on all. No view is loaded for it. Views off window are laid out
    /// when they come back (rule 5.34). An equal environment counts as a change too.
    ///
    /// A change that can be vetoed happens only if all of these controllers support it, loaded or not. Otherwise none
    /// of them is called, and ``ResourceFault/environmentRefused`` is reported (rule 5.35). A changed limit of the
    /// kernel cannot be vetoed. If a callback makes another change, this one ends there: the later one counts (rule 3.24).
    ///
    /// - Parameters:
    ///   - environment: The new environment.
    ///   - isVetoable: Whether controllers can veto the change.
    /// - Returns: `false` if the change was refused.
    @discardableResult
    public final func changeEnvironment(to environment: Environment, isVetoable: Bool = true) -> Bool {
        guard host.beginOperation(by: self) else { return false }
        defer { host.endOperation() }
        let former = environmentChanges
        if isVetoable, !isSupported(environment) {
            host.report(.environmentRefused, by: self)
            return false
        }
        guard former == environmentChanges else { return true }
        environmentChanges += 1
        // A change that a callback makes is the later wish (rule 3.24).
        let change = environmentChanges
        let listeners = visit(\.forwardedTree) { controller in
            guard change == environmentChanges else { return false }
            controller.announce(.willTransition, environment.mode.rawValue)
            controller.willTransition(to: environment)
            return true
        }
        guard change == environmentChanges else { return true }
        self.environment = environment
        for controller in root?.subtree ?? [] { controller.loadedView?.setTreeNeedsLayout() }
        if isVisible {
            layOut()
            host.settle()
        }
        for controller in listeners where change == environmentChanges && controller.servingWindow === self {
            controller.announce(.didTransition, environment.mode.rawValue)
            controller.didTransition(to: environment)
        }
        return true
    }

    private func isSupported(_ environment: Environment) -> Bool {
        var isSupported = true
        visit(\.subtree) { controller in
            isSupported = controller.supports(environment)
            return isSupported
        }
        return isSupported
    }

    /// Calls `body` with each controller of the window's tree once, also with those that callbacks add, but not with
    /// those that they remove before their turn, until it returns `false`.
    ///
    /// - Returns: The controllers, in the order of the calls.
    @discardableResult
    private func visit(
        _ tree: (ViewController) -> [ViewController],
        _ body: (ViewController) -> Bool
    ) -> [ViewController] {
        var visited: [ViewController] = []
        var seen: Set<ObjectIdentifier> = []
        var count: Int
        repeat {
            count = visited.count
            let next = (root.map(tree) ?? []).filter { !seen.contains(ObjectIdentifier($0)) }
            for controller in next where controller.servingWindow === self {
                seen.insert(ObjectIdentifier(controller))
                visited.append(controller)
                guard body(controller) else { return visited }
            }
        } while visited.count > count
        return visited
    }

    /// Changes the mode of the window's controllers, if all of them support it.
    @discardableResult
    public final func changeMode(to mode: Environment.Mode) -> Bool {
        var environment = environment
        environment.mode = mode
        return changeEnvironment(to: environment)
    }

    /// Applies the host's present capacity: a changed limit is a change that cannot be vetoed.
    final func follow(_ capacity: Environment) {
        guard followsCapacity else { return }
        var new = environment
        new.memoryLimit = capacity.memoryLimit
        new.cores = capacity.cores
        guard new != environment else { return }
        var budget = budget
        budget.bytes = capacity.budget.bytes
        budget.threads = capacity.budget.threads
        self.budget = budget
        changeEnvironment(to: new, isVetoable: false)
    }
}

extension ViewController {
    /// The environment of the window that this controller serves in, shown or not; outside any window, the environment
    /// of the host (rule 5.36).
    public final var environment: Environment { servingWindow?.environment ?? host.environment }

    /// This controller, its children at every level, and the controllers that they present; parents first.
    var subtree: [ViewController] {
        [self] + children.flatMap(\.subtree) + (presented?.subtree ?? [])
    }

    /// As above, without the children of controllers that do not forward.
    var forwardedTree: [ViewController] {
        let told = shouldAutomaticallyForwardAppearanceMethods ? children : []
        return [self] + told.flatMap(\.forwardedTree) + (presented?.forwardedTree ?? [])
    }
}
