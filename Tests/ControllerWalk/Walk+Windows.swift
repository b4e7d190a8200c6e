import ResourceManager

/// The operations on presentations, windows, popovers and lists.
extension Walk {
    // MARK: Presentations

    func present(_ model: Model, _ style: PresentationStyle) {
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

    func dismiss(_ model: Model) {
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

    func completion() { enter(.completion, of: nil) }

    func performSegue(_ model: Model) {
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

    func setRoot(_ model: Model, isNew: Bool) {
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

    func setVisible(_ model: Model, _ isVisible: Bool) {
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

    func dropWindow(_ model: Model) {
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

    func resize(_ model: Model) {
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

    func changeMode(_ model: Model) {
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

    func showPopover(_ model: Model) {
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

    func dismissPopover(_ model: Model) {
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

    func changeRows(_ model: Model, reloads: Bool) {
        // The rules do not say how often a list lays out rows that change during its layout.
        guard let list: ListController = any(.list, model), subject(of: list)?.isLayingOut != true else { return }
        // Beyond the bounds of rule 3.25, a new list is refused its data source.
        guard list.dataSource != nil else { return }
        let first = choices.next(5)
        let rows = first..<(first + 1 + choices.next(3))
        will("rows of \(named(list))", expect(model) { $0.giveUp("rows of a list") })
        // A callback of the new row may lay out the list.
        if !reloads, choices.isOne(of: 4) { _ = list.row(at: first) }
        if reloads || rows != list.visibleRows { subject(of: list)?.needsLayout = true }
        if reloads { list.reloadRows() } else { list.visibleRows = rows }
    }
}
