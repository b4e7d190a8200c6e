import ResourceManager

/// A host on which random operations run, from outside and from callbacks nested three deep.
///
/// The walk derives expected refusals, callbacks, shown controllers and lifetimes from the rules (`docs/RULES.md`,
/// ``Prediction``), and uses the public interface alone.
package final class Walk {
    /// One call of an operation and its effects, without those of operations in its callbacks.
    struct Frame {
        let operation: Operation
        var calls: [String] = []
        /// The reported faults, each with the number of callbacks before it.
        var faults: [(String, after: Int)] = []
        var isInterrupted = false
        /// Whether an operation was called in a property that this call read, perhaps before it compared anything.
        var isInterruptedEarly = false
        var prediction: Prediction?
        var result: String?
        /// The controllers that the call is about to give to an owner.
        var claims: Set<Int> = []
    }

    let host: ControllerHost
    let listener = Listener()
    let drains = Drains()
    package let seed: UInt64
    package let isReentrant: Bool
    /// The paths of the operations to which the walk is restricted; `nil` for all operations of the seed.
    let kept: Set<[Int]>?
    package internal(set) var tally = Tally()
    /// The paths of the called operations: the step, then the number of the callback, and so on.
    package private(set) var paths: [[Int]] = []
    package private(set) var failure: String?
    package private(set) var log: [String] = []
    let isLogging: Bool

    var windows: [WalkedWindow] = []
    /// The windows that the program has dropped, which an operation under way may keep.
    var droppedWindows: [() -> WalkedWindow?] = []
    var held: [ViewController] = []
    var popovers: [Popover] = []
    /// The popovers whose dismissal is under way.
    var dismissing: [Popover] = []
    var states: [Properties] = []
    /// The top that each stack's delegate was told of last, as long as it is the top.
    private var shownTops: [Int: Int] = [:]
    /// The controllers made for a call, which may be refused.
    private var fresh: [ViewController] = []
    private(set) var subjects: [Int: Subject] = [:]
    private var ids: [ObjectIdentifier: Int] = [:]
    private var lastID = 0
    private var observer: Registration?
    private(set) var frames: [Frame] = []
    private(set) var callbacks: [Callback] = []
    /// The controllers that were called back, for the callbacks that have one.
    private(set) var centers: [Int] = []
    private var path: [Int] = []
    /// The number of operations called before the present step.
    private var pathsBefore = 0
    private var ordinals: [Int] = []
    var choices: Choices
    /// The calls to which this walk restricts the callbacks, if it does.
    let focus: Focus?
    /// How many operations the walk calls in each other's callbacks: in a few walks, more than the rules allow (3.25).
    private let nesting: Int
    var isWarning = false
    var hasEnded = false

    package init(seed: UInt64, isReentrant: Bool, kept: Set<[Int]>? = nil, isLogging: Bool = false) {
        self.seed = seed
        self.isReentrant = isReentrant
        self.kept = kept
        self.isLogging = isLogging || kept != nil
        choices = Choices(seed, [])
        focus = isReentrant ? Focus(seed) : nil
        nesting = seed.isMultiple(of: 50) ? 60 : 3
        let policy: ReleasePolicy = seed.isMultiple(of: 3) ? .keep : .unload
        let delivery: WarningDelivery = seed.isMultiple(of: 5) ? .offWindowOnly : .all
        host = ControllerHost("walk", options: .init(policy: policy, delivery: delivery))
        listener.walk = self
        host.delegate = listener
        host.faultHandling = .record { [weak self] in self?.take("\($0)") }
        observer = host.onLifecycleEvent { [weak self] in self?.take($0) }
        register()
        for _ in 0..<2 { windows.append(WalkedWindow(self)) }
        for _ in 0..<4 { held.append(make()) }
        for window in windows {
            window.rootViewController = make(.stack)
            window.makeVisible()
        }
        frames = []
    }

    // MARK: Operations

    /// Runs the steps until one fails.
    package func run(_ steps: Int) {
        for step in 0..<steps where failure == nil {
            path = [step]
            pathsBefore = paths.count
            perform()
            for subject in subjects.values { subject.endStep() }
            if failure == nil { check() }
        }
        end()
    }

    /// Calls an operation, and compares its effects with the rules.
    private func perform() {
        guard kept?.contains(path) ?? true else { return }
        paths.append(path)
        let outer = choices
        choices = Choices(seed, path)
        defer { choices = outer }
        // Draws that find no object to be called on do not count.
        for _ in 0..<6 {
            if call(drawOperation()) { return }
        }
    }

    private func drawOperation() -> Operation {
        if isInCallback, let operation = choices.element(of: focus?.operations ?? []) { return operation }
        return Operation.drawn(by: &choices, inCallback: isInCallback)
    }

    /// Calls an operation; `false` if it had no object to be called on.
    private func call(_ operation: Operation) -> Bool {
        let before = model()
        let unused = fresh.count
        frames.append(Frame(operation: operation))
        ordinals.append(0)
        call(operation, on: before)
        releaseMade(since: unused)
        ordinals.removeLast()
        guard let frame = frames.popLast() else { return true }
        compare(frame, before)
        return frame.prediction != nil
    }

    /// Releases the controllers that were made for a call, before its effects are compared.
    private func releaseMade(since unused: Int) {
        // Outside of the array, since their deinit calls back and may add to it.
        let made = Array(fresh.dropFirst(unused))
        fresh.removeLast(made.count)
        withExtendedLifetime(made) {}
    }

    /// Notes a call, with its prediction.
    func will(_ text: @autoclosure () -> String, _ prediction: Prediction) {
        note(text())
        guard let operation = frames.last?.operation else { return }
        // A list that was made for the call has laid out the views that waited for the end of a call.
        frames[frames.count - 1].calls = []
        frames[frames.count - 1].prediction = prediction
        tally.begin(operation, in: callbacks)
    }

    /// Notes that the call under way is about to give a controller to an owner.
    func claim(_ id: Int) { if !frames.isEmpty { frames[frames.count - 1].claims.insert(id) } }

    func did(_ result: String) { if !frames.isEmpty { frames[frames.count - 1].result = result } }

    func enter(_ callback: Callback, of controller: ViewController?) {
        let id = controller.flatMap { ids[ObjectIdentifier($0)] }
        enter(callback, id, controller)
    }

    private func take(_ event: LifecycleEvent) {
        guard let id = ids[event.controllerID], let callback = Callback(event) else { return }
        if callback == .deinit { noteDestroyed() }
        if callback == .willMove || callback == .didMove, !hasEnded {
            let present = self.id(subjects[id]?.controller?.parent)
            let parent = event.detail.flatMap(Int.init)
            let wrong = subjects[id]?.take(callback, to: parent, from: present, isInCallback: isInCallback)
            if let wrong { fail("\(id) \(wrong)") }
        }
        enter(callback, id, subjects[id]?.controller)
        if callback == .deinit {
            ids[event.controllerID] = nil
            subjects[id] = nil
        }
    }

    /// Processes a call of a stack's delegate, which is told of a top once (5.20).
    func take(_ callback: Callback, of stack: NavigationController, _ top: ViewController) {
        if let stackID = id(stack), let topID = id(top), !hasEnded {
            forgetFormerTops()
            let isInService = callback == .didShow ? subjects[topID]?.phase == .appeared : top.isViewLoaded
            if stack.topViewController !== top || !isInService && !isExempt(topID) {
                fail("\(stackID) tells \(callback) of \(topID)")
            }
            if callback == .didShow {
                if shownTops[stackID] == topID { fail("\(stackID) tells twice that it shows \(topID)") }
                shownTops[stackID] = topID
            }
        }
        enter(callback, of: stack)
    }

    /// Forgets the tops that the delegate was told of and that are not the top any more.
    func forgetFormerTops() {
        for (stack, top) in shownTops {
            let present = (subjects[stack]?.controller as? NavigationController)?.topViewController
            if id(present) != top { shownTops[stack] = nil }
        }
    }

    private func isExempt(_ id: Int) -> Bool {
        subjects[id].map { $0.isExempt || $0.controller.map(isInExempt) ?? false } ?? false
    }

    private func take(_ fault: String) {
        note("  fault:\(fault)")
        guard !frames.isEmpty else { return }
        let count = frames[frames.count - 1].calls.count
        frames[frames.count - 1].faults.append((fault, after: count))
    }

    private func enter(_ callback: Callback, _ id: Int?, _ controller: ViewController?) {
        guard !hasEnded else { return }
        forgetFormerTops()
        note("  \(id.map { "\($0)" } ?? "-").\(callback)")
        if callback == .viewWillAppear, let controller {
            // Children whose views were released have returned.
            for child in controller.children { subject(of: child)?.formerPlace = nil }
            let presenter = controller.parent == nil ? controller.presentingViewController : nil
            subject(of: controller)?.presenter = self.id(presenter)
            // The children may have returned to a view on window, which then needs a layout, and a callback may prevent it.
            if controller.viewIfLoaded?.window != nil {
                for controller in tree(of: controller) { subject(of: controller)?.isLayoutOpen = true }
            }
        }
        if callback == .presentationWillBegin, let id {
            // In service already, where the program has put it, it is told of no appearance.
            subjects[id]?.presenter = self.id(controller?.presentingViewController)
        }
        if callback == .dismissalDidEnd, let id, controller?.presentingViewController == nil {
            // A segue may present the controller again, as an overlay.
            subjects[id]?.covers = nil
        }
        if callback == .willMove, let id { subjects[id]?.formerPlace = nil }
        if let id, let controller {
            let wrong = subjects[id]?.take(callback, of: controller, isInExempt: isInExempt(controller))
            if let wrong { fail("\(id) \(wrong)") }
            checkRelease(in: callback, of: controller)
        }
        // The rules do not fix how often a property is read.
        if !frames.isEmpty, callback != .question, callback != .assigned {
            frames[frames.count - 1].calls.append("\(id.map { "\($0)" } ?? "-").\(callback)")
        }
        if let id { centers.append(id) }
        interrupt(in: callback)
        if id != nil { centers.removeLast() }
        if let id { subjects[id]?.leave(callback) }
        if callback == .saveViewState, let id, let controller {
            subjects[id]?.placeBeforeRelease = formerPlace(of: controller)
        }
    }

    /// May call an operation in a callback.
    private func interrupt(in callback: Callback) {
        guard isReentrant, !frames.isEmpty, callbacks.count < nesting, failure == nil else { return }
        // With a focus on saving, for example, each save of 20 controllers saves them 20 times, three deep.
        guard paths.count - pathsBefore < 500 else { return }
        ordinals[ordinals.count - 1] += 1
        path.append(ordinals[ordinals.count - 1])
        var draw = Choices(seed ^ 0x5bd1, path)
        let rarity = nesting > 3 ? 2 : focus?.rarity(of: callback) ?? callback.rarity
        if draw.isOne(of: rarity) {
            for index in frames.indices { frames[index].isInterrupted = true }
            if callback == .question { frames[frames.count - 1].isInterruptedEarly = true }
            callbacks.append(callback)
            perform()
            callbacks.removeLast()
        }
        path.removeLast()
    }

    func note(_ line: @autoclosure () -> String) {
        guard isLogging else { return }
        log.append(String(repeating: "    ", count: callbacks.count) + line())
    }

    func fail(_ what: String) {
        guard failure == nil else { return }
        note("!! " + what)
        failure = what
    }

    // MARK: State

    @discardableResult
    func make(_ kind: Kind? = nil) -> ViewController {
        let kind = kind ?? choices.kind
        return adopt(kind.make(in: self), kind)
    }

    /// Tracks a controller from now on.
    @discardableResult
    func adopt<Made: ViewController>(_ made: Made, _ kind: Kind) -> Made {
        lastID += 1
        made.title = "\(lastID)"
        made.restorationIdentifier = "\(lastID)"
        ids[ObjectIdentifier(made)] = lastID
        subjects[lastID] = Subject(lastID, kind, made)
        if !frames.isEmpty {
            fresh.append(made)
            claim(lastID)
        }
        return made
    }

    func subject(of controller: ViewController) -> Subject? {
        ids[ObjectIdentifier(controller)].flatMap { subjects[$0] }
    }

    func id(_ controller: ViewController?) -> Int? { controller.flatMap { ids[ObjectIdentifier($0)] } }

    var isInCallback: Bool { !callbacks.isEmpty }

    /// Notes what the destruction of controllers ends without callbacks (5.41, 6.4); an owner may be destroyed before the
    /// controllers that it owns, and announced after them.
    private func noteDestroyed() {
        for destroyed in subjects.values.filter({ $0.controller == nil }) {
            for subject in subjects.values {
                guard let child = subject.controller, child.parent == nil, subject.lose(parent: destroyed.id) else {
                    continue
                }
                for controller in tree(of: child) { id(controller).map { noteDropped(presenter: $0) } }
                // Nothing tells it that the view left the window with the parent's.
                if subject.phase != .disappeared, child.viewIfLoaded?.window == nil { exempt(child, .step) }
            }
            noteDropped(presenter: destroyed.id)
        }
    }

    /// 5.41: the controllers in a dropped window are out of service without a callback.
    func noteDropped(_ window: WalkedWindow) {
        let base = (window.rootViewController.map { [$0] } ?? []) + window.subviews.flatMap(topmostControllers)
        // The content of a popover is in no view while a presentation covers it.
        let contents = popovers.filter { $0.window === window }.map(\.contentController)
        // A presentation may cover what the program has put there.
        let placed = subjects.values.filter { $0.window == ObjectIdentifier(window) }
        for subject in placed { subject.window = nil }
        let bare = placed.compactMap(\.controller).filter { controller in
            let isOwned = controller.parent != nil || controller.presentingViewController != nil
            let isRoot = windows.contains { $0.rootViewController === controller }
            return !isOwned && !isRoot && controller.viewIfLoaded?.superview == nil
        }
        for controller in base + contents + bare { exempt(controller, .step) }
    }

    /// The controller of a view; of a view without a controller, those of the views inside.
    private func topmostControllers(_ view: View) -> [ViewController] {
        (view.next as? ViewController).map { [$0] } ?? view.subviews.flatMap(topmostControllers)
    }

    /// 5.41: the controllers that a destroyed presenter presented are out of service without a callback.
    private func noteDropped(presenter: Int) {
        for subject in subjects.values where subject.presenter == presenter {
            guard let controller = subject.controller, controller.presentingViewController == nil else { continue }
            // It has another place since.
            guard controller.viewIfLoaded?.window == nil else { continue }
            subject.presenter = nil
            exempt(controller, .step)
            // What it and its children presented themselves ended with it.
            for controller in tree(of: controller) { id(controller).map { noteDropped(presenter: $0) } }
        }
    }

    /// A controller and its children at every level.
    private func tree(of controller: ViewController) -> [ViewController] {
        [controller] + controller.children.flatMap(tree)
    }

    private func isInExempt(_ controller: ViewController) -> Bool {
        var next = controller.parent ?? controller.presentingViewController
        while let owner = next {
            if subject(of: owner)?.isExempt ?? false { return true }
            next = owner.parent ?? owner.presentingViewController
        }
        return false
    }

    /// The superview to which a controller's view returns if the program releases it now (5.14).
    func formerPlace(of controller: ViewController) -> View? {
        let superview = controller.viewIfLoaded?.superview
        if controller.parent == nil || superview?.window != nil { return nil }
        return superview ?? subject(of: controller)?.formerPlace
    }

    /// Stops relying on the known phases of a controller and the controllers below it.
    func exempt(_ controller: ViewController, _ exemption: Subject.Exemption, mayReturn: Bool = true) {
        tally.exemptions += 1
        let returns = mayReturn && returns(controller)
        subject(of: controller)?.exempt(exemption, inCallback: isInCallback && !returns)
        for child in controller.children { exempt(child, exemption) }
        guard exemption == .step, let presented = controller.presentedViewController else { return }
        exempt(presented, exemption)
    }

    /// Whether the view returns to its container if the program drops it now: off window, in the container's
    /// viewWillAppear (5.14).
    ///
    /// During its own load it does not: it cannot be loaded again there.
    private func returns(_ controller: ViewController) -> Bool {
        if subject(of: controller)?.isLoading ?? false { return false }
        guard callbacks.last == .viewWillAppear, let view = controller.viewIfLoaded, view.superview != nil else {
            return false
        }
        return view.window == nil && controller.parent.map { id($0) == centers.last } ?? false
    }

    /// Releases everything.
    private func end() {
        hasEnded = true
        while !drains.pending.isEmpty { drains.end(0) }
        popovers = []
        held = []
        for window in windows { window.rootViewController = nil }
        windows = []
    }
}

/// The random choices for a path of a seed.
///
/// They are the same in every run, and do not depend on earlier choices.
struct Choices {
    private var state: UInt64

    init(_ seed: UInt64, _ path: [Int]) {
        state = seed
        for part in path { state = (state ^ UInt64(part)) &* 0x9e37_79b9_7f4a_7c15 &+ 0x632b_e59b_d9b4_e019 }
        _ = next(1)
    }

    mutating func next(_ count: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return Int((mixed ^ (mixed >> 31)) % UInt64(count))
    }

    mutating func isOne(of count: Int) -> Bool { next(count) == 0 }

    mutating func element<Value>(of values: [Value]) -> Value? { values.isEmpty ? nil : values[next(values.count)] }

    var kind: Kind {
        mutating get { [.plain, .plain, .plain, .stack, .stack, .tabs, .list, .set][next(8)] }
    }
}
