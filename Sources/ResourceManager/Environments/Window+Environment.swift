extension Window {
    /// Has the window's controllers work in another environment.
    ///
    /// The root and all its children at every level, shown or not, then what they present, but no children of a controller that
    /// does not forward (``ViewController/shouldAutomaticallyForwardAppearanceMethods``): ``ViewController/willTransition(to:)``
    /// for all, parents first; a layout pass of what is on window; ``ViewController/didTransition(to:)`` for all. No view
    /// is loaded for it, and what is off window is laid out when it comes back (rule 5.34). It counts as a change even if
    /// the environment is the same.
    ///
    /// A change that can be vetoed happens only if all of them support it, loaded or not; if not, no controller hears of it:
    /// ``ResourceFault/environmentRefused`` (rule 5.35). A limit of the kernel's does not ask.
    ///
    /// - Parameters:
    ///   - environment: The new environment.
    ///   - isVetoable: Whether controllers are asked.
    /// - Returns: Whether the environment was changed.
    @discardableResult
    public final func changeEnvironment(to environment: Environment, isVetoable: Bool = true) -> Bool {
        let controllers = root?.subtree ?? []
        if isVetoable, !controllers.allSatisfy({ $0.supports(environment) }) {
            host.report(.environmentRefused, by: self)
            return false
        }
        guard host.beginOperation(by: self) else { return false }
        defer { host.endOperation() }
        let listeners = root?.forwardedTree ?? []
        for controller in listeners {
            controller.announce(.willTransition, environment.mode.rawValue)
            controller.willTransition(to: environment)
        }
        self.environment = environment
        for controller in controllers { controller.loadedView?.setTreeNeedsLayout() }
        layoutIfNeeded()
        for controller in listeners {
            controller.announce(.didTransition, environment.mode.rawValue)
            controller.didTransition(to: environment)
        }
        return true
    }

    /// Has the window's controllers work in another mode, if all of them can.
    @discardableResult
    public final func changeMode(to mode: Environment.Mode) -> Bool {
        var environment = environment
        environment.mode = mode
        return changeEnvironment(to: environment)
    }

    /// Takes over what the host has now: a limit that moved is a change that cannot be vetoed.
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
    /// What the controller runs under: the environment of the window that it serves in, shown or not; outside any
    /// window, that of the host (rule 5.36).
    public final var environment: Environment { servingWindow?.environment ?? host.environment }

    /// This controller, its children at every level, and what they present; parents first.
    var subtree: [ViewController] {
        [self] + children.flatMap(\.subtree) + (presented?.subtree ?? [])
    }

    /// The same without the children of controllers that do not forward.
    var forwardedTree: [ViewController] {
        let told = shouldAutomaticallyForwardAppearanceMethods ? children : []
        return [self] + told.flatMap(\.forwardedTree) + (presented?.forwardedTree ?? [])
    }
}
