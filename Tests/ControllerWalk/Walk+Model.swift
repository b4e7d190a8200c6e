import ResourceManager

extension Walk {
    /// The state according to the public interface and the callbacks.
    func model() -> Model {
        var model = Model()
        let live = subjects.values.filter { $0.controller != nil }.sorted { $0.id < $1.id }
        var owners: [ObjectIdentifier: Int] = [:]
        for subject in live {
            if let view = subject.controller?.viewIfLoaded { owners[ObjectIdentifier(view)] = subject.id }
        }
        model.order = live.map(\.id)
        model.hasGap = live.contains(where: \.isExempt)
        model.busy = Set(drains.pending.map(\.container))
        model.windows = windows.map { window in
            Model.Window(
                isVisible: window.isVisible,
                root: id(window.rootViewController),
                budget: window.budget.amount,
                inside: window.subviews.compactMap { owners[ObjectIdentifier($0)] }
            )
        }
        model.draining = drains.pending.reduce(into: []) { $0.formUnion($1.held) }
        for subject in live {
            guard let controller = subject.controller else { continue }
            model.controllers[subject.id] = read(controller, subject, owners)
        }
        for (index, window) in windows.enumerated() {
            if let root = id(window.rootViewController) { model.controllers[root]?.window = index }
        }
        for id in model.order {
            guard let presented = model[id].presented else { continue }
            model.controllers[presented]?.presenter = id
            model.controllers[presented]?.covers = subjects[presented]?.covers
        }
        model.draining.formUnion(model.draining.flatMap(model.tree))
        for subject in live {
            // The presentation may have ended without a callback (5.41), and a segue may present the controller again,
            // as an overlay.
            if subject.controller?.presentingViewController == nil { subject.covers = nil }
            // A view that was put into a superview since is not brought back (5.14).
            if subject.controller?.viewIfLoaded?.superview != nil { subject.formerPlace = nil }
            guard let place = subject.formerPlace else { continue }
            model.formerPlaces[subject.id] = owners[ObjectIdentifier(place)]
        }
        for id in model.order where !model.isCovered(id) && model[id].isAtRest {
            guard let place = subjects[id]?.controller?.viewIfLoaded?.superview else {
                subjects[id]?.window = nil
                continue
            }
            if subjects[id]?.window != ObjectIdentifier(place) { subjects[id]?.window = nil }
        }
        for popover in popovers.filter({ $0.window != nil }) + dismissing {
            guard let content = id(popover.contentController) else { continue }
            model.controllers[content]?.isInPopover = true
            for id in model.tree(of: content) { model.controllers[id]?.isExempt = true }
        }
        // The view of a destroyed controller still contains the views in it, and a window that a callback dropped lives
        // until the operation ends, and may get another root.
        let roots = droppedWindows.compactMap { id($0()?.rootViewController) }
        for id in model.order where model[id].place == .elsewhere || roots.contains(id) {
            for id in model.tree(of: id) { model.controllers[id]?.isExempt = true }
        }
        return model
    }

    private func read(
        _ controller: ViewController,
        _ subject: Subject,
        _ owners: [ObjectIdentifier: Int]
    ) -> Model.Controller {
        var read = Model.Controller(kind: subject.kind)
        read.parent = id(controller.parent)
        read.children = controller.children.compactMap { id($0) }
        read.shown = id(shown(in: controller))
        read.inService = (controller as? WalkedSet)?.childrenInService.compactMap { id($0) } ?? []
        read.presented = id(controller.presentedViewController)
        read.phase = subject.phase
        read.isExempt = subject.isExempt
        read.hasSavedState = subject.hasSavedState
        guard let view = controller.viewIfLoaded else { return read }
        read.isLoaded = true
        read.isViewAssigned = subject.isViewAssigned
        read.budget = view.budget.amount
        read.isLayoutOpen = subject.isLayoutOpen
        if view.budget != subject.knownBudget {
            subject.needsLayout = true
            subject.knownBudget = view.budget
        }
        read.needsLayout = subject.needsLayout
        read.inside = view.subviews.compactMap { owners[ObjectIdentifier($0)] }
        if let superview = view.superview {
            let window = windows.firstIndex { $0 === superview }
            let owner = owners[ObjectIdentifier(superview)]
            read.place = window.map(Model.Place.window) ?? owner.map(Model.Place.inside) ?? .elsewhere
        }
        return read
    }

    /// The shown child of a container that shows one child at a time.
    func shown(in controller: ViewController) -> ViewController? {
        (controller as? NavigationController)?.topViewController
            ?? (controller as? TabController)?.selectedViewController
    }
}

extension Budget {
    var amount: Int { Int(clamping: bytes) }
}
