/// The operations, composed from the rules.
extension Prediction {
    /// The part of an operation that is predicted: the part before its drain, or the whole operation.
    enum Part { case first, whole }

    // MARK: Stacks and tabs

    /// 5.16 to 5.18, 5.20.
    mutating func changeStack(_ stack: Int, to wanted: [Int], _ part: Part = .whole) {
        let old = model[stack].children
        let oldTop = model[stack].shown
        let added = wanted.filter { !old.contains($0) }
        let removed = old.filter { !wanted.contains($0) }
        for id in added { adopt(id, in: stack) }
        model[stack].shown = wanted.last
        if let oldTop, removed.contains(oldTop) { call(oldTop, .willMove) }
        for id in removed where id != oldTop { call(id, .willMove) }
        let isServing = model[stack].phase == .appeared
        beginExchange(in: stack, from: oldTop, to: wanted.last)
        let isNew = wanted.last != oldTop && wanted.last != nil
        if isServing, isNew { call(stack, .willShow) }
        guard part == .whole else { return begin(stack) }
        finishExchange(in: stack, from: oldTop, to: wanted.last)
        for id in removed { leaveParent(id) }
        model[stack].children = wanted
        for id in added { call(id, .didMove) }
        if isServing, isNew { call(stack, .didShow) }
    }

    private mutating func begin(_ container: Int) {
        change { $0.busy.insert(container) }
    }

    mutating func change(_ body: (inout Model) -> Void) { body(&model) }

    /// 5.21.
    mutating func select(_ index: Int, in tabs: Int, _ part: Part = .whole) {
        let old = model[tabs].shown
        let new = model[tabs].children[index]
        guard new != old else { return }
        model[tabs].shown = new
        beginExchange(in: tabs, from: old, to: new)
        guard part == .whole else { return begin(tabs) }
        finishExchange(in: tabs, from: old, to: new)
    }

    /// 5.21, 5.22, in the order of 5.18.
    mutating func setTabs(_ tabs: Int, to wanted: [Int]) {
        let old = model[tabs].children
        let shown = model[tabs].shown
        let added = wanted.filter { !old.contains($0) }
        let removed = old.filter { !wanted.contains($0) }
        for id in added { adopt(id, in: tabs) }
        let new = shown.flatMap { wanted.contains($0) ? $0 : nil } ?? wanted.first
        model[tabs].shown = new
        for id in removed { call(id, .willMove) }
        exchange(in: tabs, from: shown, to: new)
        for id in removed { leaveParent(id) }
        model[tabs].children = wanted
        for id in added { call(id, .didMove) }
    }

    // MARK: Custom containers

    /// 5.11.
    mutating func transition(in container: Int, from old: Int, to new: Int, _ part: Part = .whole) {
        if old != new {
            var place: Int?
            if case .inside(let owner) = model[old].place { place = owner } else { place = model.formerPlaces[old] }
            model.formerPlaces[old] = nil
            beginExchange(in: container, from: old, to: new, place: place)
            if part == .whole { finishExchange(in: container, from: old, to: new) }
        }
        if part == .whole { complete() } else { begin(container) }
    }

    /// 5.10: the program puts a child's view into its container's view.
    mutating func place(_ id: Int, in container: Int) {
        loadAlone(container)
        loadAlone(id)
        let isServing = model[container].phase == .appeared
        if isServing, model[id].phase == .disappeared {
            load(id)
            will(id, appear: true)
        }
        put(id, .nowhere)
        put(id, .inside(container))
        if model.window(of: container) != nil { attach(id, .inside(container)) }
        did(id, appear: true)
    }

    // MARK: Windows

    /// 5.8: the program puts the view of a controller without an owner into a window.
    mutating func bringIn(bare id: Int, in window: Int) {
        loadAlone(id)
        if model.windows[window].isVisible { bringIn(id, .window(window)) } else { put(id, .window(window)) }
    }

    /// 5.32.
    mutating func setRoot(_ id: Int?, of window: Int) {
        let old = model.windows[window].root
        guard id != old else { return }
        if let id, model[id].place != .nowhere { giveUp("a root out of a view") }
        let presentees = old.map { model.presentees(of: $0) } ?? []
        for presentee in presentees.reversed() { announce(presentee, .dismissalWillBegin) }
        clear(window)
        if let old, !model[old].isAtRest { giveUp("in a transition already") }
        if let old {
            for presentee in presentees.reversed() {
                let presenter = model[presentee].presenter
                presenter.map { model[$0].presented = nil }
                change(presentee) {
                    $0.presenter = nil
                    $0.covers = nil
                }
            }
            for presentee in presentees.reversed() { announce(presentee, .dismissalDidEnd) }
            model[old].window = nil
        }
        change(window: window) { $0.root = id }
        guard let id else { return }
        model[id].window = window
        if model.windows[window].isVisible { bringIn(id, .window(window)) }
    }

    mutating func hide(_ window: Int) {
        clear(window)
        change(window: window) { $0.isVisible = false }
    }

    mutating func resize(_ window: Int, to budget: Int) {
        if model.windows[window].budget != budget { change(window: window) { $0.budget = budget } }
        guard model.windows[window].isVisible else { return }
        let layers = model.windows[window].inside
        // The views that the program has put there keep the budget that they came in with.
        for layer in layers where model.isRooted(layer) { setBudget(budget, of: layer) }
        for layer in layers { layOut(layer) }
    }

    // MARK: State

    /// 5.40.
    mutating func encode(_ id: Int) {
        if model[id].kind == .plain {
            call(id, .encode)
            if model[id].isLoaded { call(id, .saveViewState) }
        }
        for child in model[id].children { encode(child) }
    }
}
