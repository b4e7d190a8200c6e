import ResourceManager

/// The operations. Each chooses its objects, predicts the effects by the rules, and makes the call. This file contains those on
/// containers.
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
        case .deepen: deepen(model)
        case .placeChild: placeChild(model)
        case .placeBare: placeBare(model)
        case .misplace: misplace(model)
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
        case .use: use(model)
        case .removeUsed: removeUsed(model)
        case .popoverShow: showPopover(model)
        case .popoverDismiss: dismissPopover(model)
        case .segue: performSegue(model)
        case .rows, .reloadRows: changeRows(model, reloads: operation == .reloadRows)
        case .save: save(model)
        case .restore: restore(model)
        case .warn: warn(model)
        case .changeLevel: changeLevel(model)
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
            claim(id)
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
        claim(id)
        return (id, controller)
    }

    func named(_ controller: ViewController) -> Int { id(controller) ?? 0 }

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
        chosen.forEach(claim)
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
            // A transition around this call does not show the child any more.
            subjects[replaced]?.timesTakenOut += 1
            noteLate(replaced, in: pending.container, model)
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

    /// 5.42: adds a chain of children, down to the greatest depth.
    ///
    /// Only in a few walks, which become slower, and without calls in callbacks, which could change the depth.
    private func deepen(_ model: Model) {
        guard !isReentrant, seed.isMultiple(of: 50), model.order.count < 300 else { return }
        guard let top: WalkedController = any(.plain, model) else { return }
        let room = Model.greatestDepth - model.depth(of: named(top))
        will("add a chain to \(named(top))", expect(model) { $0.giveUp("a chain of children") })
        var parent: ViewController = top
        var length = 0
        while length < 200 {
            let child = make(.plain)
            parent.addChild(child)
            guard child.parent === parent else { break }
            child.didMove(toParent: parent)
            parent = child
            length += 1
        }
        if length != min(room, 200) { fail("\(length) children were added where there is room for \(room)") }
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
        subjects[id]?.willPlace()
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
    /// Not that of a controller that an operation around this call gives to an owner: the view then stays elsewhere until
    /// the owner's next operation (5.8).
    private func placeBare(_ model: Model) {
        var model = model
        guard let (id, controller) = free(&model), model.canBeOwned(id), model[id].place == .nowhere else { return }
        guard model[id].isAtRest, !model[id].isExempt, !model.isCovered(id) else { return }
        guard !model.draining.contains(id), !frames.dropLast().contains(where: { $0.claims.contains(id) }) else {
            return
        }
        let index = choices.next(windows.count)
        let window = windows[index]
        will("place \(id) in window \(index)", expect(model) { $0.bringIn(bare: id, in: index) })
        // A callback of the load may give it to an owner.
        guard let view = controller.view, self.model().isFree(id), view.superview == nil else { return }
        subjects[id]?.window = ObjectIdentifier(window)
        subjects[id]?.willPlace()
        window.addSubview(view)
        // A call in a callback forgets the window of a view that is not there yet.
        if view.superview === window { subjects[id]?.window = ObjectIdentifier(window) }
    }

    /// 5.7, 5.42: puts a view into one that has to refuse it.
    private func misplace(_ model: Model) {
        guard let id = any(model, where: { model[$0].isLoaded }), let view = controller(id)?.viewIfLoaded else {
            return
        }
        let places = model.order.filter { place in
            guard model[place].isLoaded else { return false }
            if place == id || model.lies(place, in: id) || model.isKept(place, by: id) { return true }
            return model[id].parent.map { $0 != place } ?? false
        }
        guard let place = choices.element(of: places), let superview = controller(place)?.viewIfLoaded else { return }
        will("put \(id) into \(place)", expect(model, refusedBy: ["hierarchyInconsistency"]) { _ in })
        superview.addSubview(view)
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
        if model.busy.contains(id), !model[id].choosesChildren { refusals.insert("transitionInProgress") }
        if model[id].choosesChildren { refusals.insert("hierarchyInconsistency") }
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
            if refusals.isEmpty, old != new { noteLate(new, in: id, model) }
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
        noteLate(new, in: id, model)
    }

    // MARK: Working sets

    /// 5.43: uses a child of a working set.
    private func use(_ model: Model) {
        var model = model
        guard let set: WalkedSet = any(.set, model) else { return }
        let container = named(set)
        let key = choices.next(4)
        let present = set.childIfPresent(for: key)
        guard let (id, child) = present.flatMap({ child in id(child).map { ($0, child) } }) ?? free(&model) else {
            return
        }
        // Only the library knows that a child that is being added has a key, or that one that is being removed has none.
        let isUnclear = frames.dropLast().contains { frame in
            frame.operation == .use && frame.claims.contains(id) || frame.operation == .removeUsed
        }
        guard present != nil || !isUnclear else { return }
        let isRefused = present == nil && (model[id].parent == container || !model.canTake(id, into: container))
        will(
            "use \(id) as \(key) in \(container)",
            expect(model, refusedBy: isRefused ? ["hierarchyInconsistency"] : []) { $0.giveUp("a working set") }
        )
        _ = set.child(for: key) { child }
        guard model[id].place != .inside(container), child.parent === set else { return }
        noteLate(id, in: container, model)
    }

    /// Notes that it is unknown whether the view of a container on its way out needs a layout when it returns: that of a child
    /// may have come into it while it was on window still.
    private func noteLate(_ id: Int, in container: Int, _ model: Model) {
        guard model[container].phase == .disappearing else { return }
        for id in model.tree(of: container) + model.tree(of: id) { subjects[id]?.isLayoutOpen = true }
    }

    private func removeUsed(_ model: Model) {
        guard let set: WalkedSet = any(.set, model) else { return }
        let key = choices.next(4)
        will("remove \(key) of \(named(set))", expect(model) { $0.giveUp("a working set") })
        set.removeChild(for: key)
    }
}
