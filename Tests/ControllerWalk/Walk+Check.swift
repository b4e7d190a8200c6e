import ResourceManager

/// Compares the effects of an operation, and the state, with the rules.
extension Walk {
    /// Refusals in callbacks with causes that the model does not contain: the depth of operations, a change by an outer
    /// operation, or a load under way.
    private static let inside: Set<String> = ["tooManyOperations", "transitionInProgress", "viewAccessedDuringLoad"]

    /// Compares the effects of an operation with the prediction.
    func compare(_ frame: Frame, _ before: Model) {
        guard let prediction = frame.prediction, failure == nil else { return }
        if frame.isInterruptedEarly { return count(frame, before) }
        let first = frame.faults.first { $0.after == 0 }?.0
        // The rules do not fix when a controller without an owner is deallocated, nor which rows a list builds.
        let calls = frame.calls.filter { !$0.hasSuffix(".deinit") && !$0.hasSuffix(".row") }
        // Another operation may have taken the controller that the drain was going to show (3.24).
        let isOpen =
            isInCallback && first.map(Self.inside.contains) ?? false
            || frame.operation == .endDrain && first == "hierarchyInconsistency"
        let exempt = Set(before.order.filter { before[$0].isExempt })
        if !prediction.refusals.isEmpty {
            tally.refusals += 1
            guard !exempt.isEmpty || first.map({ prediction.refusals.contains($0) || isOpen }) ?? false else {
                return fail("\(frame.operation) is to be refused as \(prediction.refusals), and is \(first ?? "done")")
            }
            if !calls.isEmpty, exempt.isEmpty { fail("\(frame.operation) is refused, and calls \(calls)") }
            return
        }
        if isOpen { return }
        checkNesting(of: frame)
        if let first, exempt.isEmpty, prediction.gaps.isEmpty || isInCallback {
            return fail("\(frame.operation) is refused as \(first)")
        }
        if let result = prediction.result, let found = frame.result, result != found, exempt.isEmpty {
            return fail("\(frame.operation) is to return \(result), and returns \(found)")
        }
        count(frame, before)
        var touched = Set((calls + prediction.calls).compactMap { Int($0.prefix { $0 != "." }) })
        touched.formUnion(before.order.filter { before[$0] != prediction.model[$0] })
        if prediction.isComplete, !frame.isInterrupted, !before.hasGap, touched.isDisjoint(with: exempt) {
            compare(frame, calls, prediction, before)
        }
        for gap in prediction.gaps { tally.gaps[gap, default: 0] += 1 }
    }

    /// Checks that an operation that was not refused is in no more than 15 others (3.25).
    private func checkNesting(of frame: Frame) {
        // In a property that is read, the operation may not have begun yet, and in a deinit it may have ended.
        let outer = zip(frames, callbacks).filter { $0.operation.isCounted && $1 != .question && $1 != .deinit }.count
        if frame.operation.isCounted, frame.faults.isEmpty, !frame.calls.isEmpty, outer >= 16 {
            fail("\(frame.operation) runs inside of \(outer) others")
        }
    }

    private func count(_ frame: Frame, _ before: Model) {
        if frame.isInterrupted || !frame.calls.isEmpty || model() != before { tally.changes += 1 }
    }

    private func compare(
        _ frame: Frame,
        _ calls: [String],
        _ prediction: Prediction,
        _ before: Model
    ) {
        tally.predicted += 1
        if !frame.faults.isEmpty { fail("\(frame.operation) reports \(frame.faults)") }
        let after = model()
        // With their layouts, the budgets of the views inside are unknown.
        let unknown = before.order.filter { before[$0].isLayoutOpen || after[$0].isLayoutOpen }
        let open = Set(unknown.flatMap(before.tree))
        let (found, said) = (without(layoutsOf: open, calls), without(layoutsOf: open, prediction.calls))
        if found != said {
            fail(
                "\(frame.operation) calls\n  \(found.joined(separator: " "))\nand is to call\n  "
                    + said.joined(separator: " ")
            )
        }
        var wanted = prediction.model
        // An operation under way may already have released some of the controllers that it affects.
        let held = drains.pending.flatMap(\.held).filter { after.controllers[$0] != nil }
        wanted.bury(allBut: keptByProgram(besides: held))
        for id in after.order
        where after[id] != wanted[id] && before.controllers[id] != nil && !after[id].isExempt && !before[id].isExempt
            && !open.contains(id)
        {
            fail("\(frame.operation) leaves \(id)\n  \(after[id])\nand is to leave\n  \(wanted[id])")
        }
        if after.windows != wanted.windows || after.busy != prediction.model.busy {
            fail(
                "\(frame.operation) leaves windows \(after.windows) \(after.busy), and is to leave "
                    + "\(wanted.windows) \(prediction.model.busy)"
            )
        }
    }

    private func without(layoutsOf open: Set<Int>, _ calls: [String]) -> [String] {
        guard !open.isEmpty else { return calls }
        let layouts = open.flatMap {
            ["\($0).viewWillLayoutSubviews", "\($0).viewDidLayoutSubviews", "\($0).containerLayout"]
        }
        return calls.filter { !layouts.contains($0) }
    }

    /// Compares the whole state with the rules, between operations.
    func check() {
        let model = model()
        let isLoose = looseControllers(model)
        var shown: Set<Int> = []
        for index in windows.indices {
            if let isShownLast = windows[index].isShownLast, isShownLast != windows[index].isVisible {
                fail("window \(index) is \(windows[index].isVisible ? "visible" : "hidden") against the last wish")
            }
            let layers = model.layers(of: index).filter { !model.isCovered($0) }
            // A callback may have put the view of a root there, and the window may be hidden before it becomes the root.
            let bare = model.windows[index].inside.filter { id in
                let isLayer = windows[index].isVisible && layers.contains(id)
                return !model.isRooted(id) || !isLayer && subjects[id]?.window == ObjectIdentifier(windows[index])
            }
            for layer in layers + bare where windows[index].isVisible && !isLoose.contains(layer) {
                if model[layer].place != .window(index) { fail("\(layer) is not in its window \(index)") }
                collect(layer, in: model, isLoose, into: &shown)
            }
            // A view that the program has put there stays when its controller is destroyed (5.33).
            let found = model.windows[index].inside.filter { !isLoose.contains($0) && !bare.contains($0) }
            let expected = windows[index].isVisible ? layers.filter { !isLoose.contains($0) } : []
            if found.count != expected.count {
                fail("window \(index) has the views of \(found), and shows \(expected)")
            }
        }
        for id in model.order where !isLoose.contains(id) {
            let isShown = shown.contains(id)
            if isShown != (model[id].phase == .appeared) || !model[id].isAtRest {
                fail("\(id) is \(model[id].phase), and \(isShown ? "" : "not ")shown, \(model[id].place)")
            }
            if (model.window(of: id) != nil) != isShown {
                fail("\(id) is \(isShown ? "shown off" : "not shown and on") window")
            }
        }
        for id in model.order where !isLoose.contains(id) { checkBacking(of: id, in: model) }
        for id in model.order { checkLinks(of: id, in: model) }
        for id in model.order where !model.draining.contains(id) { checkNews(of: id, in: model) }
        forgetFormerTops()
        checkLiving(model)
    }

    /// The controllers that the rules leave open, with all controllers in them: those whose views the program has taken
    /// away or shows itself, and those that drain.
    private func looseControllers(_ model: Model) -> Set<Int> {
        var loose: Set<Int> = []
        func add(_ id: Int) {
            guard loose.insert(id).inserted else { return }
            for inner in model[id].children + model[id].inside + (model[id].presented.map { [$0] } ?? []) { add(inner) }
        }
        for id in model.order where model[id].isExempt { add(id) }
        for pending in drains.pending { for id in pending.held { add(id) } }
        for popover in popovers { id(popover.contentController).map(add) }
        for id in model.order where model[id].phase == .disappearing || model[id].phase == .appearing {
            // Between operations, only draining controllers are in a transition, wherever they have moved meanwhile.
            if !drains.pending.isEmpty { add(id) }
        }
        return loose
    }

    /// Collects a controller and the controllers that are in service with it.
    private func collect(_ id: Int, in model: Model, _ isLoose: Set<Int>, into shown: inout Set<Int>) {
        guard !isLoose.contains(id) else { return }
        guard model[id].isLoaded else { return fail("\(id) is shown and has no view") }
        shown.insert(id)
        let inside: [Int]
        if model[id].showsOneChild {
            inside = model[id].shown.map { [$0] } ?? []
        } else if let set = controller(id) as? WalkedSet {
            // A view that the program has assigned gets that of a child at its next use.
            inside = model[id].inService.filter { !model[id].isViewAssigned || model[$0].place == .inside(id) }
            if inside.count > set.limit { fail("\(id) has \(inside) in service") }
        } else {
            // The children that the program has placed.
            inside = model[id].children.filter { model[$0].place == .inside(id) }
        }
        if model[id].inside.filter({ !isLoose.contains($0) }).count != inside.filter({ !isLoose.contains($0) }).count {
            fail("\(id) has the views of \(model[id].inside), and shows \(inside)")
        }
        for child in inside where !isLoose.contains(child) {
            if model[child].place != .inside(id) { fail("\(child) is not in its container \(id)") }
            collect(child, in: model, isLoose, into: &shown)
        }
    }

    /// Checks that a controller whose view is about to be released is neither loading (2.18, 4.27) nor on window (4.9).
    func checkRelease(in callback: Callback, of controller: ViewController) {
        if callback == .viewWillUnload, isLoading(controller) {
            fail("\(id(controller) ?? 0) is unloaded while it loads")
        }
        if callback == .saveViewState, controller.viewIfLoaded?.window != nil,
            !frames.contains(where: { $0.operation == .save })
        {
            fail("\(id(controller) ?? 0) saves the state of a view on window")
        }
    }

    /// Whether a controller, or a child at any level, is loading its view.
    private func isLoading(_ controller: ViewController) -> Bool {
        subject(of: controller)?.isLoading ?? false || controller.children.contains(where: isLoading)
    }

    /// The state that is the same after a transition unless the program has dropped, replaced or moved something meanwhile.
    func placing(_ parent: ViewController, _ from: ViewController, _ to: ViewController) -> [AnyHashable?] {
        let (old, new) = (subject(of: from), subject(of: to))
        return [
            parent.viewIfLoaded.map(ObjectIdentifier.init), from.viewIfLoaded.map(ObjectIdentifier.init),
            new.map { $0.loads + (to.isViewLoaded ? 0 : 1) }, old?.newsOfParents, new?.newsOfParents,
            old?.timesTakenOut, new?.timesTakenOut,
        ]
    }

    /// Checks that a transition shows a child if it began with one in its place, whatever callbacks hide (3.24, 5.11).
    ///
    /// `before` is what held at its beginning.
    func checkTransition(
        _ parent: ViewController,
        _ from: ViewController,
        _ to: ViewController,
        _ before: [AnyHashable?]?
    ) {
        guard from !== to, let before, from.parent === parent, to.parent === parent, to.isViewLoaded else { return }
        guard placing(parent, from, to) == before else { return }
        // Its view comes into its place after its loadView.
        guard subject(of: to)?.isInLoadView != true else { return }
        if from.viewIfLoaded?.superview == nil, to.viewIfLoaded?.superview == nil {
            fail("\(id(parent) ?? 0) has lost both \(id(from) ?? 0) and \(id(to) ?? 0)")
        }
    }

    /// Checks that a view on window has a backing, and that no view off window has one at a raised level (4.13).
    private func checkBacking(of id: Int, in model: Model) {
        guard let view = controller(id)?.viewIfLoaded as? BackedView else { return }
        if model.window(of: id) != nil, view.backing == nil { fail("\(id) is on window without a backing") }
        if view.window == nil, host.level > .normal, view.backing != nil { fail("\(id) keeps its backing off window") }
    }

    private func checkLinks(of id: Int, in model: Model) {
        if case .inside(let container) = model[id].place, let parent = model[id].parent, parent != container,
            !model[id].isExempt
        {
            fail("\(id) lies in the view of \(container), and is a child of \(parent)")
        }
        for child in model[id].children where model[child].parent != id { fail("\(child) does not know its parent") }
        if let parent = model[id].parent, !model[parent].children.contains(id) {
            fail("\(id) is not its parent's child")
        }
        let controller = controller(id)
        let own =
            (controller as? NavigationController)?.viewControllers ?? (controller as? TabController)?.viewControllers
        if let own, !drains.pending.contains(where: { $0.container == id }),
            own.compactMap({ self.id($0) }) != model[id].children
        {
            fail("\(id) has \(own.count) that are not its children \(model[id].children)")
        }
        if let presented = controller?.presentedViewController, presented.presentingViewController !== controller {
            fail("\(self.id(presented) ?? 0) does not know its presenter")
        }
    }

    /// Checks that the controller was told of its parent, or that it has none (5.2 to 5.5, 5.16 to 5.18).
    private func checkNews(of id: Int, in model: Model) {
        guard let subject = subjects[id] else { return }
        let parent = model[id].parent
        if !subject.hasNews(of: parent, tellsAll: parent.map { model[$0].showsOneChild } ?? false) {
            fail("\(id) is a child of \(parent.map { "\($0)" } ?? "none"), and was told last: \(subject.move)")
        }
    }

    /// Checks that all controllers with an owner live (6.1, 6.2), and no others.
    private func checkLiving(_ model: Model) {
        let certain = model.reached(from: keptByProgram(besides: []))
        // An operation under way keeps the controllers that it affects.
        let reached = model.reached(from: keptByProgram(besides: drains.pending.flatMap(\.held)))
        let alive = Set(model.order)
        if !alive.isSuperset(of: certain) || !alive.isSubset(of: reached) {
            fail("alive \(alive.subtracting(reached).sorted()), gone \(certain.subtracting(alive).sorted())")
        }
    }

    private func keptByProgram(besides others: [Int]) -> Set<Int> {
        Set((held + popovers.map(\.contentController)).compactMap { id($0) } + others)
    }
}
