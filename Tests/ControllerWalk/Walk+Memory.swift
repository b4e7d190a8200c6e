import ResourceManager

/// The operations on saved state, memory and lifetimes.
extension Walk {
    func save(_ model: Model) {
        let index = choices.next(windows.count)
        will(
            "save \(index)",
            expect(model) { prediction in model.windows[index].root.map { prediction.encode($0) } }
        )
        let state = windows[index].restorableState()
        if states.count < 4 { states.append(state) } else { states[choices.next(4)] = state }
    }

    func restore(_ model: Model) {
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

    func warn(_ model: Model) {
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

    /// 4.13: raises the level of pressure, with a broadcast, or ends it.
    func changeLevel(_ model: Model) {
        guard !isWarning, host.currentWarning == nil else { return }
        let level: PressureLevel = host.level == .normal ? .warning : .normal
        will("level \(level)", expect(model) { $0.giveUp("another level") })
        isWarning = true
        host.deliver(MemoryWarning(level: level, isSimulated: false))
        isWarning = false
    }

    /// 4.23: warns one controller alone.
    func warnAlone(_ model: Model) {
        let unloadable = any(model) { model[$0].isLoaded && model[$0].place == .nowhere || choices.isOne(of: 8) }
        guard let id = unloadable, let controller = controller(id) else { return }
        let unloads = host.options.policy == .unload && model[id].canUnload
        will("warn \(id)", expect(model) { if unloads { $0.unload(id) } })
        controller.didReceiveMemoryWarning()
    }

    func releaseView(_ model: Model) {
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

    func load(_ model: Model) {
        guard let id = any(model, where: { !model[$0].isLoaded || choices.isOne(of: 8) }),
            let controller = controller(id)
        else { return }
        will("load \(id)", expect(model) { $0.loadAlone(id) })
        controller.loadViewIfNeeded()
    }

    func dropView(_ model: Model) {
        let isServing = choices.isOne(of: 4)
        let loaded = any(model) { model[$0].isLoaded && (isServing || model[$0].phase == .disappeared) }
        guard let id = loaded, let controller = controller(id) else { return }
        // In a working set on its way out, the view is on window still, and leaves a gap there (2.12).
        let isInSet = model[id].parent.map { model[$0].kind == .set } ?? false
        guard !isInSet || model[id].phase != .disappeared || model.window(of: id) == nil else { return }
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
    func assignView(_ model: Model) {
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

    func keep(_ model: Model) {
        guard model.order.count < 22 else { return }
        will("make", expect(model) { $0.giveUp("a new controller") })
        let made = choices.isOne(of: 3) ? makeScene() : make()
        if let made, held.count < 10 { held.append(made) }
    }

    func release(_ model: Model) {
        guard !held.isEmpty else { return }
        let released = held.remove(at: choices.next(held.count))
        will("release \(named(released))", expect(model) { $0.giveUp("a release") })
        withExtendedLifetime(released) {}
    }
}
