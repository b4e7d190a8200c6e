/// The effects of an operation in which no callback intervenes: the callbacks in order, and the state afterwards.
///
/// Each function implements one rule, and its comment has the rule's number. Effects that the rules leave open are not
/// predicted: ``isComplete``.
struct Prediction {
    var model: Model
    private(set) var calls: [String] = []
    /// The faults with any of which the operation may be refused; empty if it is not refused.
    var refusals: Set<String> = []
    /// The value that the operation returns.
    var result: String?
    /// Whether the rules determine all effects.
    var isComplete = true
    /// The reasons why effects are not predicted.
    private(set) var gaps: Set<String> = []

    init(_ model: Model) { self.model = model }

    mutating func giveUp(_ why: String) {
        isComplete = false
        gaps.insert(why)
    }

    mutating func call(_ id: Int, _ callback: Callback) { calls.append("\(id).\(callback)") }

    mutating func complete() { calls.append("-.\(Callback.completion)") }

    mutating func callHost() { calls.append("-.\(Callback.hostDelegate)") }

    mutating func change(_ id: Int, _ body: (inout Model.Controller) -> Void) { body(&model[id]) }

    mutating func change(window: Int, _ body: (inout Model.Window) -> Void) { body(&model.windows[window]) }

    // MARK: Views

    /// 2.1, 2.15: loads the view, and a container's shown child, whose view is put into it.
    mutating func load(_ id: Int) {
        loadAlone(id)
        if model.busy.contains(id) { giveUp("a container in a transition") }
        if model[id].showsOneChild {
            guard let shown = model[id].shown else { return }
            load(shown)
            if !model.lies(shown, in: id) { put(shown, .inside(id)) }
        } else {
            for child in model[id].children { bringBack(child, to: id) }
        }
    }

    /// 5.14.
    private mutating func bringBack(_ child: Int, to container: Int) {
        guard let place = model.formerPlaces[child], place == container || model.lies(place, in: container) else {
            return
        }
        guard model[container].kind != .set || model[container].inService.contains(child) else { return }
        model.formerPlaces[child] = nil
        guard model[child].place == .nowhere else { return }
        load(child)
        put(child, .inside(place))
    }

    mutating func loadAlone(_ id: Int) {
        guard !model[id].isLoaded else { return }
        call(id, .loadView)
        call(id, .viewDidLoad)
        change(id) { $0.isLoaded = true }
        // 5.43: viewDidLoad puts the children in service into the view.
        for child in model[id].inService {
            loadAlone(child)
            put(child, .inside(id))
        }
        switch model[id].hasSavedState {
        case true?: call(id, .restoreViewState)
        case false?: break
        case nil: giveUp("what was saved is not known")
        }
        change(id) {
            $0.needsLayout = true
            $0.budget = 0
            $0.hasSavedState = false
        }
    }

    /// Changes a link between views, without a callback.
    mutating func put(_ id: Int, _ place: Model.Place) {
        switch model[id].place {
        case .inside(let old): model[old].inside.removeAll { $0 == id }
        case .window(let old): model.windows[old].inside.removeAll { $0 == id }
        case .nowhere, .elsewhere: break
        }
        model[id].place = place
        if place != .nowhere { model.formerPlaces[id] = nil }
        switch place {
        case .inside(let new): model[new].inside.append(id)
        case .window(let new): model.windows[new].inside.append(id)
        case .nowhere, .elsewhere: break
        }
        // 5.13: off window too, the view gets the budget of the place that it joins.
        guard model.window(of: id) == nil else { return }
        switch place {
        case .inside(let owner): setBudget(model[owner].budget, of: id)
        case .window(let window): setBudget(model.windows[window].budget, of: id)
        case .nowhere, .elsewhere: break
        }
    }

    /// 2.12: another view takes the place of the present one.
    mutating func assign(_ id: Int) {
        if !model[id].inside.isEmpty { giveUp("a view that the program takes away") }
        change(id) {
            $0.isLoaded = true
            $0.isViewAssigned = true
            $0.needsLayout = true
            $0.budget = 0
        }
        let place = model[id].place
        if place != .nowhere { attach(id, place) }
    }

    /// 2.12: removes the view without a callback.
    mutating func drop(_ id: Int) {
        if model[id].place != .nowhere || model[id].parent == nil { model.formerPlaces[id] = nil }
        if model[id].parent != nil, model.window(of: id) == nil, case .inside(let owner) = model[id].place {
            model.formerPlaces[id] = owner
        }
        for child in model[id].inside { put(child, .elsewhere) }
        put(id, .nowhere)
        change(id) {
            $0.isLoaded = false
            $0.isViewAssigned = false
            $0.inside = []
            $0.needsLayout = true
            $0.budget = 0
        }
    }

    /// 3.5 to 3.7, 5.13.
    mutating func layOut(_ id: Int) {
        guard model.window(of: id) != nil else { return }
        let needsLayout = model[id].needsLayout
        if needsLayout {
            call(id, .viewWillLayoutSubviews)
            for inner in model[id].inside { setBudget(model[id].budget, of: inner) }
        }
        for inner in model[id].inside { layOut(inner) }
        guard needsLayout else { return }
        call(id, .viewDidLayoutSubviews)
        model[id].needsLayout = false
        if model[id].kind == .plain, model[id].covers != nil || model[id].presenter != nil {
            call(id, .containerLayout)
        }
    }

    mutating func setBudget(_ budget: Int, of id: Int) {
        guard model[id].budget != budget else { return }
        change(id) {
            $0.budget = budget
            $0.needsLayout = true
        }
    }

    // MARK: Appearance

    /// Calls the will-callback of the controller, and then of the children whose views are inside its view (3.19, 5.10).
    mutating func will(_ id: Int, appear: Bool) {
        let from: Subject.Phase = appear ? .disappeared : .appeared
        guard model[id].phase == from else {
            if !model[id].isAtRest || model[id].isExempt { giveUp("in a transition already") }
            return
        }
        if model[id].isExempt || model.busy.contains(id) { giveUp("exempt or busy") }
        model[id].phase = appear ? .appearing : .disappearing
        call(id, appear ? .viewWillAppear : .viewWillDisappear)
        for child in model[id].children where model[child].isLoaded && model.lies(child, in: id) {
            if appear { load(child) }
            will(child, appear: appear)
        }
    }

    mutating func did(_ id: Int, appear: Bool) {
        guard model[id].phase == (appear ? .appearing : .disappearing) else { return }
        model[id].phase = appear ? .appeared : .disappeared
        call(id, appear ? .viewDidAppear : .viewDidDisappear)
        for child in model[id].children {
            if !model[child].isAtRest, model.draining.contains(child) { giveUp("a child that drains") }
            did(child, appear: appear)
        }
    }

    /// 3.4, from the attachment on.
    mutating func attach(_ id: Int, _ place: Model.Place) {
        if model[id].place != place { put(id, place) }
        switch place {
        case .window(let window): setBudget(model.windows[window].budget, of: id)
        case .inside(let owner): setBudget(model[owner].budget, of: id)
        case .nowhere, .elsewhere: break
        }
        layOut(id)
    }

    /// The whole of 3.4.
    mutating func bringIn(_ id: Int, _ place: Model.Place) {
        load(id)
        will(id, appear: true)
        attach(id, place)
        did(id, appear: true)
    }

    mutating func takeOut(_ id: Int) {
        will(id, appear: false)
        put(id, .nowhere)
        did(id, appear: false)
    }

    // MARK: Containers

    /// The first half of 3.10, 3.11, 5.11, 5.21: a container shows another child.
    mutating func beginExchange(in container: Int, from old: Int?, to new: Int?, place: Int? = nil) {
        guard model[container].phase == .appeared else {
            if !model[container].isAtRest { giveUp("a container in a transition") }
            guard let place, let new else { return }
            load(new)
            if old != new, !model.lies(new, in: place) { put(new, .inside(place)) }
            return
        }
        if let new { load(new) }
        if let old, old != new { will(old, appear: false) }
        if let new {
            will(new, appear: true)
            let target = place ?? container
            if model[new].phase == .appearing || !model.lies(new, in: target) { attach(new, .inside(target)) }
        }
    }

    /// The second half of the same rules.
    mutating func finishExchange(in container: Int, from old: Int?, to new: Int?) {
        if let old, old != new, model.lies(old, in: container) { put(old, .nowhere) }
        // Out of service, only children that drain in another container are in a transition, until that drain ends (3.24).
        guard model[container].phase == .appeared else { return }
        if let old, old != new { did(old, appear: false) }
        if let new { did(new, appear: true) }
    }

    mutating func exchange(in container: Int, from old: Int?, to new: Int?) {
        beginExchange(in: container, from: old, to: new)
        finishExchange(in: container, from: old, to: new)
    }

    /// 5.4, 5.5: a child leaves its parent, which shows another child if it shows one at a time.
    mutating func leaveParent(_ id: Int) {
        guard let parent = model[id].parent else { return }
        if !model.presentees(of: id).isEmpty { giveUp("what leaves presents") }
        if model.busy.contains(parent) || !model[id].isAtRest { giveUp("leaves in a drain") }
        let showsOne = model[parent].showsOneChild
        if model[parent].choosesChildren, model.lies(id, in: parent) { takeOut(id) }
        let index = model[parent].children.firstIndex(of: id) ?? 0
        model[parent].children.removeAll { $0 == id }
        model[parent].inService.removeAll { $0 == id }
        model[id].parent = nil
        if showsOne, model[parent].shown == id {
            let rest = model[parent].children
            model[parent].shown =
                model[parent].kind == .stack ? rest.last : rest.isEmpty ? nil : rest[min(index, rest.count - 1)]
            if let next = model[parent].shown, model[parent].phase == .appeared {
                exchange(in: parent, from: nil, to: next)
            }
        }
        call(id, .didMove)
    }

    /// 5.2, 5.5: a controller joins another parent.
    mutating func gain(_ id: Int, in container: Int) {
        leaveParent(id)
        call(id, .willMove)
        model[container].children.append(id)
        model[id].parent = container
    }

    /// 5.5: a stack or a tab container takes the view out of its superview.
    mutating func adopt(_ id: Int, in container: Int) {
        if model[id].place != .nowhere {
            if model[id].parent == nil, model[id].phase == .disappeared { put(id, .nowhere) } else { takeOut(id) }
        }
        if model[id].parent != container { gain(id, in: container) }
    }

    // MARK: Windows

    /// 5.31, 3.4.
    mutating func show(_ window: Int) {
        model.windows[window].isVisible = true
        for layer in model.layers(of: window) where !model.isCovered(layer) { bringIn(layer, .window(window)) }
    }

    /// 5.32: all controllers that a window shows leave it.
    mutating func clear(_ window: Int) {
        let leaving = model.layers(of: window).filter {
            model[$0].phase == .appeared || model[$0].place == .window(window)
        }
        for layer in leaving { will(layer, appear: false) }
        for layer in leaving {
            put(layer, .nowhere)
            did(layer, appear: false)
        }
    }

    // MARK: Presentations

    mutating func announce(_ id: Int, _ callback: Callback) {
        if model[id].kind == .plain { call(id, callback) }
    }

    /// 5.23, 5.25.
    mutating func present(_ id: Int, from presenter: Int, isFullScreen: Bool) {
        guard let window = model.window(of: presenter) else { return giveUp("no window") }
        let base = isFullScreen ? model.outermost(of: presenter) : nil
        if let base, model[base].window == nil, model[base].presenter == nil { giveUp("a base put in by hand") }
        if model[id].place != .nowhere { giveUp("presented out of a view") }
        model[presenter].presented = id
        change(id) {
            $0.presenter = presenter
            $0.covers = base
        }
        load(id)
        announce(id, .presentationWillBegin)
        if let base { will(base, appear: false) }
        will(id, appear: true)
        attach(id, .window(window))
        did(id, appear: true)
        if let base {
            put(base, .nowhere)
            did(base, appear: false)
        }
        announce(id, .presentationDidEnd)
        complete()
    }

    /// 5.24, 5.25, 5.28: dismisses the presentation that a controller began, and all presentations over it.
    mutating func dismiss(_ presenter: Int) {
        guard let first = model[presenter].presented else { return }
        let presentees = [first] + model.presentees(of: first)
        let base = model[first].covers
        let window = presentees.first { model.window(of: $0) != nil }.flatMap { model.window(of: $0) }
        for presentee in presentees { model[presentee].covers = nil }
        if let base, model.isCovered(base) || model[base].window == nil && model[base].presenter == nil {
            giveUp("what is uncovered is covered still")
        }
        if let base, window != nil { load(base) }
        for layer in presentees.reversed() { announce(layer, .dismissalWillBegin) }
        for layer in presentees.reversed() { will(layer, appear: false) }
        if let base, let window {
            will(base, appear: true)
            attach(base, .window(window))
        }
        for presentee in presentees {
            let owner = model[presentee].presenter
            owner.map { model[$0].presented = nil }
            model[presentee].presenter = nil
        }
        if let base { did(base, appear: true) }
        for presentee in presentees { put(presentee, .nowhere) }
        for presentee in presentees.reversed() { did(presentee, appear: false) }
        for presentee in presentees.reversed() { announce(presentee, .dismissalDidEnd) }
        complete()
    }

    // MARK: Warnings

    /// 4.3, 4.7 to 4.14, 5.12, 5.14.
    mutating func warn(unloads: Bool, offWindowOnly: Bool) {
        // It removes children that have neither a view nor saved state (5.43).
        let hasSet = model.controllers.values.contains { $0.kind == .set && !$0.children.isEmpty }
        if hasSet { giveUp("a working set") }
        callHost()
        for id in model.order {
            let isServing = model.window(of: id) != nil
            if offWindowOnly, isServing { continue }
            call(id, .didReceiveMemoryWarning)
            if unloads, model[id].canUnload { unload(id) }
            if model[id].phase == .appeared, model[id].isLoaded { call(id, .degrade) }
        }
    }

    mutating func unload(_ id: Int) {
        // A drain keeps both the incoming and the outgoing controller loaded (4.24).
        if model.draining.contains(id) { return giveUp("an unload in a drain") }
        guard model[id].phase == .disappeared, !model[id].isExempt else {
            if !model[id].isAtRest || model[id].isExempt { giveUp("an unload in a transition") }
            return
        }
        call(id, .viewWillUnload)
        save(id)
        let inside = model[id].children.filter { model[$0].isLoaded && model.lies($0, in: id) }
        for child in inside { put(child, .nowhere) }
        drop(id)
        call(id, .viewDidUnload)
        for child in inside where model[child].canUnload { unload(child) }
    }

    /// 4.17.
    mutating func save(_ id: Int) {
        guard model[id].kind == .plain else { return }
        call(id, .saveViewState)
        model[id].hasSavedState = true
    }

    /// 4.14.
    mutating func release(_ id: Int) {
        guard model[id].isLoaded, model.window(of: id) == nil else { return }
        guard model[id].phase == .disappeared, !model.draining.contains(id) else {
            return giveUp("released in a transition")
        }
        save(id)
        let inside = model[id].children.filter { model.lies($0, in: id) }
        for child in inside { put(child, .nowhere) }
        drop(id)
    }

    // MARK: Environments

    /// 5.34.
    mutating func changeMode(of window: Int) {
        let tree = model.windows[window].root.map(model.tree) ?? []
        for id in tree { call(id, .willTransition) }
        for id in tree where model[id].isLoaded { model[id].needsLayout = true }
        if model.windows[window].isVisible {
            for layer in model.windows[window].inside { layOut(layer) }
        }
        for id in tree { call(id, .didTransition) }
    }
}
