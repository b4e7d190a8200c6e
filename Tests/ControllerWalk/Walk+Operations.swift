import ResourceManager

/// The operations. Each chooses its objects, predicts the effects by the rules, and makes the call.
extension Walk {
    func call(_ operation: Operation, on model: Model) {
        switch operation {
        case .push, .drainPush: push(model, drains: operation == .drainPush)
        case .pop, .drainPop: pop(model, drains: operation == .drainPop)
        case .popTo, .popToRoot: pop(model, toRoot: operation == .popToRoot)
        case .setStack: setStack(model)
        case .select, .drainSelect: select(model, drains: operation == .drainSelect)
        case .setTabs: setTabs(model)
        case .endDrain: endDrain(model)
        case .addChild, .addAny: addChild(model, isFree: operation == .addChild)
        case .placeChild: placeChild(model)
        case .placeBare: placeBare(model)
        case .takeOut: takeOut(model)
        case .removeChild: removeChild(model)
        case .transition, .drainTransition: transition(model, drains: operation == .drainTransition)
        case .present, .overlay: present(model, operation == .present ? .fullScreen : .overlay)
        case .dismiss: dismiss(model)
        case .setRoot, .dropRoot: setRoot(model, isNew: operation == .setRoot)
        case .hide, .show: setVisible(model, operation == .show)
        case .dropWindow: dropWindow(model)
        case .resize: resize(model)
        case .changeMode: changeMode(model)
        case .popoverShow: showPopover(model)
        case .popoverDismiss: dismissPopover(model)
        case .segue: performSegue(model)
        case .rows, .reloadRows: changeRows(model, reloads: operation == .reloadRows)
        case .save: save(model)
        case .restore: restore(model)
        case .warn: warn(model)
        case .warnAlone: warnAlone(model)
        case .releaseView: releaseView(model)
        case .load: load(model)
        case .dropView: dropView(model)
        case .assignView: assignView(model)
        case .make: keep(model)
        case .release: release(model)
        }
    }

    // MARK: Choosing

    /// Predicts a call.
    ///
    /// Callbacks and effects are predicted only if no other operation is under way.
    func expect(
        _ model: Model,
        refusedBy refusals: Set<String> = [],
        _ effects: (inout Prediction) -> Void
    ) -> Prediction {
        var prediction = Prediction(model)
        prediction.refusals = refusals
        if isInCallback { prediction.isComplete = false } else if refusals.isEmpty { effects(&prediction) }
        return prediction
    }

    func controller(_ id: Int) -> ViewController? { subjects[id]?.controller }

    /// Returns a random controller for which a condition holds.
    ///
    /// In a callback, half of the choices, with a focus three quarters of them, prefer relatives of the controller that was
    /// called back, because the outer operation concerns this controller. A warning concerns all controllers.
    func any(_ model: Model, where condition: (Int) -> Bool) -> Int? {
        let fitting = model.order.filter(condition)
        let prefersRelatives = choices.isOne(of: 2) || focus != nil && choices.isOne(of: 2)
        guard let center = centers.last, callbacks.last?.kind != .warning, prefersRelatives else {
            return choices.element(of: fitting)
        }
        let relatives = fitting.filter { model.areRelated($0, center) }
        return choices.element(of: relatives.isEmpty ? fitting : relatives)
    }

    func any<Wanted: ViewController>(
        _ kind: Kind,
        _ model: Model,
        where condition: (Int) -> Bool = { _ in true }
    ) -> Wanted? {
        // A draining container refuses changes.
        let takesBusy = choices.isOne(of: 8)
        let found = any(model) { id in
            model[id].kind == kind && (takesBusy || !model.busy.contains(id)) && condition(id)
        }
        return found.flatMap { controller($0) as? Wanted }
    }

    /// Returns a controller that is usually free to become a part of another one.
    ///
    /// `model` contains it, even if it is new.
    func free(_ model: inout Model) -> (Int, ViewController)? {
        if !choices.isOne(of: 9),
            let id = any(
                model,
                where: { [model] in model.isFree($0) && model[$0].place == .nowhere }
            ),
            let controller = controller(id)
        {
            return (id, controller)
        }
        if model.order.count > 22 || choices.isOne(of: 8) {
            return any(model)
        }
        let made = make()
        model = self.model()
        return id(made).map { ($0, made) }
    }

    /// Returns a controller of any kind, in any state, for the call under way.
    private func any(_ model: Model) -> (Int, ViewController)? {
        guard let id = any(model, where: { _ in true }), let controller = controller(id) else { return nil }
        return (id, controller)
    }

    private func named(_ controller: ViewController) -> Int { id(controller) ?? 0 }

    /// The controllers that a stack lists.
    ///
    /// During a change it has further children.
    private func listed(in stack: NavigationController) -> [Int] { stack.viewControllers.compactMap { id($0) } }

    // MARK: Stacks

    private func push(_ model: Model, drains isDraining: Bool) {
        var model = model
        guard let stack: NavigationController = any(.stack, model), let (new, controller) = free(&model) else { return }
        let container = named(stack)
        var refusals = model.refusalsOfChange(in: container, adding: [new])
        if listed(in: stack).contains(new) { refusals.insert("alreadyOnStack") }
        let part: Prediction.Part = isDraining ? .first : .whole
        will(
            "push \(new) on \(container)\(isDraining ? ", draining" : "")",
            expect(model, refusedBy: refusals) {
                $0.changeStack(container, to: listed(in: stack) + [new], part)
            }
        )
        guard isDraining else { return stack.push(controller) }
        drains.begin(
            "push \(new) on \(container)",
            of: container,
            holding: Set(model[container].children + [container, new])
        ) { drain in
            await stack.push(controller, drain: drain)
        }
    }

    private func pop(_ model: Model, drains isDraining: Bool) {
        guard
            let stack: NavigationController = any(.stack, model, where: { model[$0].children.count > 1 || $0 % 7 == 0 })
        else { return }
        let container = named(stack)
        let children = listed(in: stack)
        let isNothing = children.count < 2
        let part: Prediction.Part = isDraining ? .first : .whole
        let refusals = isNothing ? [] : model.refusalsOfChange(in: container, adding: [])
        will(
            "pop \(container)\(isDraining ? ", draining" : "")",
            expect(model, refusedBy: refusals) {
                if !isNothing { $0.changeStack(container, to: children.dropLast(), part) }
                if !isDraining { $0.result = isNothing ? "nil" : "\(children.last ?? 0)" }
            }
        )
        guard isDraining else { return did(stack.pop().flatMap { id($0) }.map { "\($0)" } ?? "nil") }
        drains.begin("pop \(container)", of: container, holding: Set(children + [container])) { drain in
            _ = await stack.pop(drain: drain)
        }
    }

    private func pop(_ model: Model, toRoot: Bool) {
        guard let stack: NavigationController = any(.stack, model, where: { model[$0].children.count > 1 }) else {
            return
        }
        let container = named(stack)
        let children = listed(in: stack)
        guard !children.isEmpty else { return }
        let index = toRoot || children.count < 3 ? 0 : choices.next(children.count - 1)
        let rest = Array(children.prefix(index + 1))
        let isNothing = rest.count == children.count
        let refusals = isNothing ? [] : model.refusalsOfChange(in: container, adding: [])
        will(
            "pop \(container) to \(children[index])",
            expect(model, refusedBy: refusals) {
                if !isNothing { $0.changeStack(container, to: rest) }
                $0.result = "\(children.dropFirst(rest.count).map { $0 })"
            }
        )
        let gone = toRoot ? stack.popToRoot() : controller(children[index]).map { stack.pop(to: $0) } ?? []
        did("\(gone.compactMap { id($0) })")
    }

    private func setStack(_ model: Model) {
        var model = model
        guard let stack: NavigationController = any(.stack, model) else { return }
        let container = named(stack)
        var new = [free(&model), choices.isOne(of: 2) ? free(&model) : nil].compactMap { $0?.0 }
        new = chosen(from: listed(in: stack), 2) + new
        if choices.isOne(of: 4) { new = Array(new.reversed()) }
        let isSame = new == listed(in: stack)
        let added = new.filter { !listed(in: stack).contains($0) }
        var refusals = isSame ? [] : model.refusalsOfChange(in: container, adding: added)
        if !isSame, Set(new).count < new.count { refusals.insert("alreadyOnStack") }
        will(
            "set stack \(container) to \(new)",
            expect(model, refusedBy: refusals) { if !isSame { $0.changeStack(container, to: new) } }
        )
        stack.setViewControllers(new.compactMap(controller))
    }

    /// Chooses at most `count` controllers, in random order.
    private func chosen(from ids: [Int], _ count: Int) -> [Int] {
        var rest = ids
        var chosen: [Int] = []
        for _ in 0..<choices.next(count + 1) where !rest.isEmpty {
            chosen.append(rest.remove(at: choices.next(rest.count)))
        }
        return chosen
    }

    // MARK: Tabs

    private func select(_ model: Model, drains isDraining: Bool) {
        guard let tabs: TabController = any(.tabs, model, where: { model[$0].children.count > 1 || $0 % 7 == 0 }) else {
            return
        }
        let container = named(tabs)
        guard !tabs.viewControllers.isEmpty else { return }
        let others = tabs.viewControllers.indices.filter { $0 != tabs.selectedIndex || choices.isOne(of: 8) }
        guard let index = choices.element(of: others) else { return }
        let isSame = index == tabs.selectedIndex
        let refusals = isSame ? [] : model.refusalsOfChange(in: container, adding: [])
        let part: Prediction.Part = isDraining ? .first : .whole
        will(
            "select \(index) in \(container)\(isDraining ? ", draining" : "")",
            expect(model, refusedBy: refusals) { prediction in
                // While a change of the tabs is under way, they are not yet the children.
                guard model[container].children == tabs.viewControllers.compactMap({ id($0) }) else { return }
                prediction.select(index, in: container, part)
            }
        )
        guard isDraining else {
            tabs.selectedIndex = index
            return
        }
        drains.begin(
            "select \(index) in \(container)",
            of: container,
            holding: Set(model[container].children + [container])
        ) { drain in
            await tabs.select(index, drain: drain)
        }
    }

    private func setTabs(_ model: Model) {
        var model = model
        guard let tabs: TabController = any(.tabs, model), let (first, _) = free(&model) else { return }
        let container = named(tabs)
        var new: [Int] = []
        for id in [first] + chosen(from: model[container].children, 2) where !new.contains(id) { new.append(id) }
        let added = new.filter { !model[container].children.contains($0) }
        will(
            "set tabs \(container) to \(new)",
            expect(model, refusedBy: model.refusalsOfChange(in: container, adding: added)) {
                $0.setTabs(container, to: new)
            }
        )
        tabs.setViewControllers(new.compactMap(controller))
    }

    private func endDrain(_ model: Model) {
        guard !drains.pending.isEmpty else { return }
        let index = choices.next(drains.pending.count)
        let pending = drains.pending[index]
        will("end the drain of \(pending.text)", expect(model) { $0.giveUp("the end of a drain") })
        drains.end(index)
        // 5.14: the child has been replaced, and does not return.
        if let replaced = pending.replaced, model[replaced].parent == pending.container {
            subjects[replaced]?.formerPlace = nil
        }
    }

    // MARK: Custom containers

    private func addChild(_ model: Model, isFree: Bool) {
        var model = model
        guard let parent: WalkedController = any(.plain, model) else { return }
        guard let (id, child) = isFree ? free(&model) : any(model) else { return }
        let container = named(parent)
        // Rule 5.8 would leave a view in the place where the program has put it, and the controller would get no callbacks.
        let isPlaced = model[id].place != .nowhere && !(model[id].parent.map { model[$0].showsOneChild } ?? false)
        guard !isPlaced else { return }
        let isChild = model[id].parent == container
        will(
            "add \(id) to \(container)",
            expect(model, refusedBy: isChild || model.canTake(id, into: container) ? [] : ["hierarchyInconsistency"]) {
                if !isChild { $0.gain(id, in: container) }
            }
        )
        let old = child.parent
        parent.addChild(child)
        if child.parent === parent { child.didMove(toParent: parent) }
        if old !== parent, let old { takeOut(child, of: old) }
    }

    private func placeChild(_ model: Model) {
        guard let id = any(model, where: { id in model[id].parent.map { model[$0].kind == .plain } ?? false }),
            let child = controller(id), let parent = child.parent, let container = self.id(parent)
        else { return }
        // The rules leave open what happens to a view that the program places during a transition or change (5.8 to 5.10).
        guard !callbacks.contains(.saveViewState), !callbacks.contains(.viewWillUnload) else { return }
        guard model[id].isAtRest, model[container].isAtRest, !model.busy.contains(container),
            !model[id].isExempt, !model[container].isExempt
        else { return }
        will("place \(id) in \(container)", expect(model) { $0.place(id, in: container) })
        guard let view = parent.view, let childView = child.view else { return }
        guard child.parent === parent, parent.viewIfLoaded === view, child.viewIfLoaded === childView else { return }
        view.addSubview(childView)
        // If a callback has taken the child away, the view now belongs to a controller without a parent (5.8).
        guard child.parent !== parent, let placed = child.viewIfLoaded, placed.superview === view else { return }
        // The controller gets no callback when the container leaves the window, which a callback of its own may cause;
        // what it presents stays in service.
        exempt(child, .untilItAppears)
        placed.removeFromSuperview()
    }

    /// 5.8: puts the view of a controller without an owner into a window.
    ///
    /// Not in callbacks: an operation around this call may give the controller to an owner, and the rules leave open whether
    /// the view stays where the program has put it (5.8).
    private func placeBare(_ model: Model) {
        var model = model
        guard !isInCallback else { return }
        guard let (id, controller) = free(&model), model.canBeOwned(id), model[id].place == .nowhere else { return }
        guard model[id].isAtRest, !model[id].isExempt, !model.isCovered(id) else { return }
        let index = choices.next(windows.count)
        let window = windows[index]
        will("place \(id) in window \(index)", expect(model) { $0.bringIn(bare: id, in: index) })
        // A callback of the load may give it to an owner.
        guard let view = controller.view, self.model().isFree(id), view.superview == nil else { return }
        subjects[id]?.window = ObjectIdentifier(window)
        window.addSubview(view)
        // A call in a callback forgets the window of a view that is not there yet.
        if view.superview === window { subjects[id]?.window = ObjectIdentifier(window) }
    }

    private func takeOut(_ model: Model) {
        let placed = any(model) { id in
            guard model[id].place != .nowhere, model[id].isAtRest else { return false }
            // The program may take out the view of a controller that presents, but the rules do not say what follows.
            guard let parent = model[id].parent else { return model.isBare(id) && model.canBeOwned(id) }
            return model[parent].kind == .plain && !model.busy.contains(parent)
        }
        guard let id = placed, let child = controller(id) else { return }
        will("take the view of \(id) out", expect(model) { $0.takeOut(id) })
        subjects[id]?.timesTakenOut += 1
        child.viewIfLoaded?.removeFromSuperview()
    }

    private func removeChild(_ model: Model) {
        let removable = any(model) { id in
            model[id].parent.map { model[$0].showsOneChild || model[id].place == .nowhere } ?? false
        }
        guard let id = removable, let child = controller(id) else { return }
        will("remove \(id)", expect(model) { $0.leaveParent(id) })
        let parent = child.parent
        child.removeFromParent()
        if let parent { takeOut(child, of: parent) }
    }

    /// Removes the view of a child that left a container.
    ///
    /// A callback, or the end of a presentation by the child, may have put the view back (5.14).
    private func takeOut(_ child: ViewController, of container: ViewController) {
        guard child.parent !== container, let place = container.viewIfLoaded else { return }
        if child.viewIfLoaded?.superview === place { child.viewIfLoaded?.removeFromSuperview() }
    }

    private func transition(_ model: Model, drains isDraining: Bool) {
        guard let id = any(model, where: { !model[$0].children.isEmpty }), let parent = controller(id) else { return }
        let children = model[id].children
        let old = children.first { model[$0].place != .nowhere } ?? children[0]
        let new =
            choices.isOne(of: 12) ? choices.element(of: model.order) : children.first { model[$0].place == .nowhere }
        guard let new, let from = controller(old), let to = controller(new) else { return }
        var refusals: Set<String> = []
        if model.busy.contains(id), !model[id].showsOneChild { refusals.insert("transitionInProgress") }
        if model[id].showsOneChild { refusals.insert("hierarchyInconsistency") }
        if model[new].parent != id { refusals = ["notSiblings"] }
        let part: Prediction.Part = isDraining ? .first : .whole
        will(
            "in \(id) from \(old) to \(new)\(isDraining ? ", draining" : "")",
            expect(model, refusedBy: refusals) { $0.transition(in: id, from: old, to: new, part) }
        )
        if refusals.isEmpty, old != new {
            subjects[old]?.formerPlace = nil
            // A transition around this one does not show the child any more.
            subjects[old]?.timesTakenOut += 1
        }
        guard isDraining else {
            let (before, isPlaced) = (placing(parent, from, to), model[old].place == .inside(id))
            parent.transition(from: from, to: to) { [weak self] in
                self?.checkTransition(parent, from, to, isPlaced ? before : nil)
                self?.completion()
            }
            return
        }
        drains.begin(
            "in \(id) from \(old) to \(new)",
            of: id,
            holding: Set(model[id].children + [id, new]),
            replacing: old == new ? nil : old
        ) { drain in
            await parent.transition(from: from, to: to, drain: drain)
        }
    }

    // MARK: Presentations

    private func present(_ model: Model, _ style: PresentationStyle) {
        var model = model
        // Until its presentation has begun, a view that the program has put into a window stays there.
        guard let (id, controller) = free(&model), !model.isFree(id) || model[id].place == .nowhere else { return }
        let ready = any(model) { model[$0].phase == .appeared && model[$0].presented == nil && $0 != id }
        guard let presenter = choices.isOne(of: 6) ? any(model, where: { _ in true }) : ready else { return }
        let refusals = model.refusalsOfPresenting(id, from: presenter)
        will(
            "present \(id) from \(presenter), \(style)",
            expect(model, refusedBy: refusals) { $0.present(id, from: presenter, isFullScreen: style == .fullScreen) }
        )
        // The known phase of an exempt presenter may be wrong.
        let mayBegin = refusals.isEmpty || model[presenter].isExempt && model.canBeOwned(id)
        if mayBegin {
            // It may be in service already, where the program has put it.
            subjects[id]?.presenter = presenter
            subjects[id]?.covers = style == .fullScreen ? model.outermost(of: presenter) : nil
        }
        self.controller(presenter)?.present(controller, style: style, completion: completion)
        // It was refused after all, or has ended: a segue may present the controller next, as an overlay.
        if controller.presentingViewController == nil { subjects[id]?.covers = nil }
    }

    private func dismiss(_ model: Model) {
        let presenting = any(model) { model[$0].presented != nil }
        guard let base = choices.isOne(of: 6) ? any(model, where: { _ in true }) : presenting else { return }
        var presenter: Int? = base
        while let id = presenter, model[id].presented == nil { presenter = model[model.outermost(of: id)].presenter }
        will(
            "dismiss \(base)",
            expect(model, refusedBy: presenter == nil ? ["nothingToDismiss"] : []) { prediction in
                presenter.map { prediction.dismiss($0) }
            }
        )
        controller(base)?.dismiss(completion: completion)
    }

    private func completion() { enter(.completion, of: nil) }

    private func performSegue(_ model: Model) {
        guard let source: WalkedController = any(.plain, model, where: { controller($0)?.storyboard != nil }) else {
            return
        }
        let kind = choices.element(of: ["push", "present"]) ?? "push"
        let isRefused = kind == "push" && source.navigationController == nil
        let presenter = named(source)
        will(
            "segue \(kind) from \(presenter)",
            expect(model, refusedBy: isRefused ? ["noNavigationController"] : []) { $0.giveUp("a segue") }
        )
        did("\(source.performSegue(withIdentifier: kind))")
    }

    // MARK: Windows

    private func setRoot(_ model: Model, isNew: Bool) {
        var model = model
        let index = choices.next(windows.count)
        let new = isNew ? free(&model) : nil
        guard isNew == (new != nil), isNew || model.windows[index].root != nil else { return }
        if let id = new?.0, model.isFree(id), model[id].place != .nowhere {
            // A root whose view the program has put into the hidden window stays there. A view in a dropped window, which
            // an operation under way keeps, is in service still, although the walk ignores it.
            guard windows[index].isVisible, !model[id].isExempt else { return }
        }
        let isSame = new?.0 == model.windows[index].root
        let isFree = new.map { model.canBeOwned($0.0) } ?? true
        will(
            "root of \(index): \(new?.0 ?? 0)",
            expect(model, refusedBy: isSame || isFree ? [] : ["hierarchyInconsistency"]) {
                $0.setRoot(new?.0, of: index)
            }
        )
        windows[index].rootViewController = new?.1
    }

    private func setVisible(_ model: Model, _ isVisible: Bool) {
        guard
            let index = choices.element(
                of: windows.indices.filter { windows[$0].isVisible != isVisible || choices.isOne(of: 8) }
            )
        else { return }
        let hasPopover = popovers.contains { $0.window === windows[index] }
        will(
            "\(isVisible ? "show" : "hide") \(index)",
            expect(model) { prediction in
                if hasPopover { prediction.giveUp("a popover") }
                if model.hasBare { prediction.giveUp("a view that the program has put into a window") }
                guard model.windows[index].isVisible != isVisible else { return }
                if isVisible { prediction.show(index) } else { prediction.hide(index) }
            }
        )
        let window = windows[index]
        let before = window.isShownLast
        window.isShownLast = isVisible
        if isVisible { window.makeVisible() } else { window.hide() }
        if frames.last?.faults.first?.0 == "tooManyOperations", frames.last?.calls.isEmpty ?? false {
            window.isShownLast = before
        }
    }

    private func dropWindow(_ model: Model) {
        let index = choices.next(windows.count)
        will("drop window \(index)", expect(model) { $0.giveUp("a dropped window") })
        // The window's deinit calls back, and the callback reads `windows`.
        let old = windows[index]
        // In a callback, an outer operation may keep the window until it ends.
        noteDropped(old)
        droppedWindows = droppedWindows.filter { $0() != nil } + [{ [weak old] in old }]
        windows[index] = WalkedWindow(self)
        withExtendedLifetime(old) {}
    }

    private func resize(_ model: Model) {
        let index = choices.next(windows.count)
        let bytes = 1 + choices.next(3)
        let hasPopover = popovers.contains { $0.window === windows[index] }
        will(
            "resize \(index) to \(bytes)",
            expect(model) { prediction in
                if hasPopover { prediction.giveUp("a popover") }
                prediction.resize(index, to: bytes)
            }
        )
        windows[index].resize(to: Budget(bytes: bytes))
    }

    private func changeMode(_ model: Model) {
        let index = choices.next(windows.count)
        let root = model.windows[index].root
        let tree = root.map(model.tree) ?? []
        will(
            "mode of \(index)",
            expect(model) { prediction in
                if tree.contains(where: { model[$0].isExempt }) { prediction.giveUp("exempt or busy") }
                prediction.changeMode(of: index)
                prediction.result = "true"
            }
        )
        did("\(windows[index].changeMode(to: choices.isOne(of: 2) ? "a" : "b"))")
        guard frames.last?.isInterrupted ?? false else { return }
        // A callback may put controllers into the tree, and another one may remove them.
        for subject in subjects.values { subject.isLayoutOpen = true }
    }

    // MARK: Popovers and lists

    private func showPopover(_ model: Model) {
        var model = model
        let index = choices.next(windows.count)
        if popovers.count < 3, let (_, content) = free(&model) { popovers.append(Popover(contentController: content)) }
        guard let popover = choices.element(of: popovers), let content = id(popover.contentController) else { return }
        var refusals: Set<String> = []
        if popover.window != nil { refusals.insert("alreadyPresenting") }
        // While the window is being hidden, it is still visible, and wants nothing in service.
        if !windows[index].isVisible || windows[index].isShownLast == false { refusals.insert("presenterNotInWindow") }
        // Until its dismissal has ended, a popover protects its content from other owners, but not from itself.
        if dismissing.contains(where: { $0 === popover }) { model.controllers[content]?.isInPopover = false }
        if !model.canBeOwned(content) || model[content].place != .nowhere { refusals.insert("hierarchyInconsistency") }
        if popover.window === windows[index] { refusals = [] }
        will("popover with \(content) in \(index)", expect(model, refusedBy: refusals) { $0.giveUp("a popover") })
        popover.show(in: windows[index])
        exemptIfDropped(popover)
    }

    private func dismissPopover(_ model: Model) {
        guard let index = choices.element(of: Array(popovers.indices)) else { return }
        let popover = popovers[index]
        will("dismiss the popover with \(id(popover.contentController) ?? 0)", expect(model) { $0.giveUp("a popover") })
        let wasShown = popover.window != nil
        if wasShown { dismissing.append(popover) }
        popover.dismiss()
        if wasShown { dismissing.removeLast() }
        if choices.isOne(of: 2) { popovers.removeAll { $0 === popover } }
        exemptIfDropped(popover)
    }

    /// A popover that is destroyed while it is shown removes the content without callbacks; the last call of it keeps
    /// it until then, and may find other content than the call that dropped it.
    private func exemptIfDropped(_ popover: Popover) {
        guard popover.window != nil, !popovers.contains(where: { $0 === popover }) else { return }
        exempt(popover.contentController, .step)
    }

    private func changeRows(_ model: Model, reloads: Bool) {
        // The rules do not say how often a list lays out rows that change during its layout.
        guard let list: ListController = any(.list, model), subject(of: list)?.isLayingOut != true else { return }
        let first = choices.next(5)
        let rows = first..<(first + 1 + choices.next(3))
        will("rows of \(named(list))", expect(model) { $0.giveUp("rows of a list") })
        // A callback of the new row may lay out the list.
        if !reloads, choices.isOne(of: 4) { _ = list.row(at: first) }
        if reloads || rows != list.visibleRows { subject(of: list)?.needsLayout = true }
        if reloads { list.reloadRows() } else { list.visibleRows = rows }
    }

    // MARK: State and memory

    private func save(_ model: Model) {
        let index = choices.next(windows.count)
        will(
            "save \(index)",
            expect(model) { prediction in model.windows[index].root.map { prediction.encode($0) } }
        )
        let state = windows[index].restorableState()
        if states.count < 4 { states.append(state) } else { states[choices.next(4)] = state }
    }

    private func restore(_ model: Model) {
        guard let index = choices.element(of: windows.indices.filter { !windows[$0].isVisible }) else { return }
        // Prefers states that fit the root.
        let fitting = states.filter { state in
            let root: Properties? = state["root"]
            let identifier: String? = root?["identifier"]
            return identifier != nil && identifier == model.windows[index].root.map { "\($0)" }
        }
        guard let state = choices.element(of: fitting.isEmpty || choices.isOne(of: 8) ? states : fitting) else {
            return
        }
        let root: Properties? = state["root"]
        let identifier: String? = root?["identifier"]
        let isItsRoot = identifier != nil && identifier == model.windows[index].root.map { "\($0)" }
        if isItsRoot, let root = model.windows[index].root {
            for id in model.tree(of: root) where model[id].kind == .plain { subjects[id]?.hasSavedState = nil }
        }
        will(
            "restore \(index)",
            expect(model) { prediction in
                if isItsRoot { prediction.giveUp("a state that is restored") }
                prediction.result = "\(isItsRoot)"
            }
        )
        did("\(windows[index].restore(from: state))")
    }

    private func warn(_ model: Model) {
        guard !isWarning, host.currentWarning == nil else { return }
        will(
            "warn",
            expect(model) {
                $0.warn(unloads: host.options.policy == .unload, offWindowOnly: host.options.delivery == .offWindowOnly)
            }
        )
        isWarning = true
        host.simulateMemoryWarning(choices.isOne(of: 2) ? .warning : .critical)
        isWarning = false
    }

    /// 4.23: warns one controller alone.
    private func warnAlone(_ model: Model) {
        let unloadable = any(model) { model[$0].isLoaded && model[$0].place == .nowhere || choices.isOne(of: 8) }
        guard let id = unloadable, let controller = controller(id) else { return }
        let unloads = host.options.policy == .unload && model[id].canUnload
        will("warn \(id)", expect(model) { if unloads { $0.unload(id) } })
        controller.didReceiveMemoryWarning()
    }

    private func releaseView(_ model: Model) {
        let off = any(model) { model[$0].isLoaded && (model.window(of: $0) == nil || choices.isOne(of: 8)) }
        guard let id = off, let controller = controller(id) else { return }
        will("release the view of \(id)", expect(model) { $0.release(id) })
        let hadView = controller.isViewLoaded
        subjects[id]?.placeBeforeRelease = formerPlace(of: controller)
        controller.releaseViewIfOffWindow()
        if hadView, !controller.isViewLoaded { subjects[id]?.formerPlace = subjects[id]?.placeBeforeRelease }
        if hadView, !controller.isViewLoaded, model[id].kind == .plain {
            subjects[id]?.hasSavedState = frames.last?.isInterrupted ?? true || isInCallback ? nil : true
        }
    }

    private func load(_ model: Model) {
        guard let id = any(model, where: { !model[$0].isLoaded || choices.isOne(of: 8) }),
            let controller = controller(id)
        else { return }
        will("load \(id)", expect(model) { $0.loadAlone(id) })
        controller.loadViewIfNeeded()
    }

    private func dropView(_ model: Model) {
        let isServing = choices.isOne(of: 4)
        let loaded = any(model) { model[$0].isLoaded && (isServing || model[$0].phase == .disappeared) }
        guard let id = loaded, let controller = controller(id) else { return }
        let inside = model[id].inside
        will(
            "view of \(id): nil",
            expect(model) { prediction in
                if isServing || !inside.isEmpty { prediction.giveUp("a view that the program takes away") }
                prediction.drop(id)
            }
        )
        exempt(controller, .untilItAppears)
        subjects[id]?.formerPlace = formerPlace(of: controller)
        controller.view = nil
    }

    /// 2.12: assigns another view, which takes the old one's place.
    private func assignView(_ model: Model) {
        let losesViews = choices.isOne(of: 4)
        let found = any(model) { id in
            // A list lays out its own view.
            model[id].kind != .list && !model[id].isExempt && (losesViews || model[id].inside.isEmpty)
        }
        // Its loadView assigns the view itself.
        guard let id = found, let controller = controller(id), let subject = subjects[id], !subject.isInLoadView else {
            return
        }
        will("assign a view to \(id)", expect(model) { $0.assign(id) })
        for child in controller.children where losesViews && model[id].inside.contains(named(child)) {
            exempt(child, .untilItAppears, mayReturn: false)
        }
        subject.willAssignView()
        let view = View()
        controller.view = view
        if controller.viewIfLoaded !== view { subject.isLayoutOpen = true }
    }

    private func keep(_ model: Model) {
        guard model.order.count < 22 else { return }
        will("make", expect(model) { $0.giveUp("a new controller") })
        let made = choices.isOne(of: 3) ? makeScene() : make()
        if let made, held.count < 10 { held.append(made) }
    }

    private func release(_ model: Model) {
        guard !held.isEmpty else { return }
        let released = held.remove(at: choices.next(held.count))
        will("release \(named(released))", expect(model) { $0.giveUp("a release") })
        withExtendedLifetime(released) {}
    }
}
