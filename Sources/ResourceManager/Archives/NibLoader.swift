/// The parts of a nib that end with the view that it made.
@usableFromInline
final class LoadedNib {
    @Weak private var view: View?
    private let objects: [Responder]

    init(view: View, objects: [Responder]) {
        self.objects = objects
        self.view = view
    }

    /// Whether the view that the nib made lies in another view, or is the same one.
    func hasView(in other: View) -> Bool { view?.isDescendant(of: other) ?? false }
}

/// Makes a controller's view from its archive, in the stages of rule 1.9: each stage handles all objects, in archive
/// order, before the next stage begins.
struct NibLoader {
    private let owner: ViewController
    private let archive: NibArchive
    private let environment: Environment

    init(owner: ViewController, archive: NibArchive) {
        self.owner = owner
        self.archive = archive
        environment = owner.environment
    }

    /// The objects that were made.
    private struct Objects {
        var all: [Responder] = []
        var byID: [String: Responder] = [:]
        /// The objects that are left out in the present environment, and whose connections are left out too.
        var absent: Set<String> = []
    }

    func load() {
        var objects = Objects()
        let made = make(archive.view, as: View.self, &objects)
        let root = made ?? View()
        guard isNew(root) else {
            return owner.host.report(root.controller == nil ? .hierarchyInconsistency : .viewAlreadyOwned, by: owner)
        }
        if made != nil { makeSubviews(of: root, &objects) }
        let further = archive.objects.compactMap { make($0, as: Responder.self, &objects) }
        for outlet in archive.outlets { connect(outlet, objects) }
        for action in archive.actions { connect(action, root, objects) }
        owner.announce(.connect, "view")
        let nib = LoadedNib(view: root, objects: further)
        owner.assignView(root, of: nib)
        // The view may have been refused.
        if owner.loadedNib !== nib { owner.clearOutlets() }
        for object in objects.all { object.awakeFromNib() }
    }

    /// An object of the class that an archive names; an object of the wrong kind is released at once.
    private func make<Kind: Responder>(
        _ archived: ArchivedObject,
        as kind: Kind.Type,
        _ objects: inout Objects
    ) -> Kind? {
        guard let properties = archived.variants.applied(to: archived.properties, in: environment) else {
            note(absent: archived, &objects)
            return nil
        }
        let coder = Coder(host: owner.host, properties: properties)
        let made = owner.host.classes.make(archived.className, from: coder)
        guard let object = made as? Kind else {
            let name = archived.className
            owner.host.report(made == nil ? .unknownClass(name) : .wrongClass(name), by: owner)
            note(absent: archived, &objects)
            return nil
        }
        objects.all.append(object)
        if !archived.id.isEmpty { objects.byID[archived.id] = object }
        return object
    }

    /// Makes the views below the root, in the order of the archive; without recursion, since views may be nested
    /// deeper than a small stack allows.
    private func makeSubviews(of root: View, _ objects: inout Objects) {
        var open = [(view: root, rest: archive.view.subviews[...])]
        while let (view, rest) = open.last {
            guard let next = rest.first else {
                open.removeLast()
                if let outer = open.last { put(view, into: outer.view) }
                continue
            }
            open[open.count - 1].rest.removeFirst()
            if let subview = make(next, as: View.self, &objects) { open.append((subview, next.subviews[...])) }
        }
    }

    /// Whether a view may be put anywhere; only a registered class can return one that is not new.
    private func isNew(_ view: View) -> Bool {
        view.superview == nil && view.controller == nil && !(view is Window)
    }

    private func put(_ view: View, into outer: View) {
        guard isNew(view), !outer.isDescendant(of: view) else {
            return owner.host.report(.hierarchyInconsistency, by: view)
        }
        outer.link(view)
    }

    private func note(absent archived: ArchivedObject, _ objects: inout Objects) {
        var level = [archived]
        while !level.isEmpty {
            objects.absent.formUnion(level.lazy.map(\.id).filter { !$0.isEmpty })
            level = level.flatMap(\.subviews)
        }
    }

    private func connect(_ outlet: ArchivedOutlet, _ objects: Objects) {
        guard !objects.absent.contains(outlet.destination), !objects.absent.contains(outlet.source ?? "") else {
            return
        }
        let source = outlet.source.map { objects.byID[$0] } ?? owner
        guard let source, let destination = objects.byID[outlet.destination] else {
            return owner.host.report(.unknownOutlet(outlet.name), by: owner)
        }
        if source === owner { owner.announce(.connect, outlet.name) }
        if !source.connect(destination, toOutlet: outlet.name) {
            owner.host.report(.unknownOutlet(outlet.name), by: source)
        }
    }

    private func connect(_ action: ArchivedAction, _ root: View, _ objects: Objects) {
        guard !objects.absent.contains(action.source ?? "") else { return }
        let source = action.source.map { objects.byID[$0] as? View } ?? root
        var target: Responder? = owner
        switch action.target {
        case .owner: break
        case .object(let id): target = objects.byID[id]
        case .chain: target = nil
        }
        if case .object(let id) = action.target, objects.absent.contains(id) { return }
        let isKnown = action.target == .chain || target?.canPerform(action.name) ?? false
        guard let source, isKnown else { return owner.host.report(.unknownAction(action.name), by: owner) }
        if action.target == .owner { owner.announce(.connectAction, action.name) }
        source.connect(action.name, to: action.event, of: target)
    }
}
