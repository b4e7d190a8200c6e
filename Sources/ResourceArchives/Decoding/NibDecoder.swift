internal import MemwarnProtocol
internal import ResourceManager

/// Decodes the objects of one nib and their connections.
struct NibDecoder {
    /// Ids with a special meaning in actions.
    private static let reserved = ["owner", "chain"]

    private var ids: [String: JSONNode] = [:]
    /// The number of views and objects, counted up to one more than the limit.
    private(set) var size = 0

    /// A nib of these values; a harmless value replaces each value with a problem.
    mutating func nib(
        view: ArchiveValue?,
        objects: ArchiveValue?,
        outlets: ArchiveValue?,
        actions: ArchiveValue?
    ) -> NibArchive {
        // Objects come first: connections refer to their ids.
        var nib = NibArchive()
        if let view, add(view) { nib.view = self.view(view, isRoot: true) }
        if let objects { for value in objects.elements() where add(value) { nib.objects.append(object(value)) } }
        nib.outlets = outlets.map { self.outlets($0) } ?? []
        nib.actions = actions?.elements().compactMap { action($0) } ?? []
        return nib
    }

    private mutating func view(_ value: ArchiveValue, isRoot: Bool) -> ArchivedObject {
        var (view, subviews) = head(of: value, isRoot: isRoot)
        guard let subviews else { return view }
        for subview in subviews.elements() where add(subview) {
            view.subviews.append(self.view(subview, isRoot: false))
        }
        return view
    }

    /// A view without its contents; separate from the recursion, which then takes less stack.
    private mutating func head(
        of value: ArchiveValue,
        isRoot: Bool
    ) -> (view: ArchivedObject, subviews: ArchiveValue?) {
        var view = ArchivedObject()
        guard let section = value.section(ViewKey.self) else { return (view, nil) }
        view.id = id(section[.id])
        view.className = section[.className]?.text() ?? view.className
        view.properties = section[.properties]?.properties() ?? view.properties
        view.variants = section[.variants]?.variants(ofWhatHasToBe: isRoot ? "a nib's root view" : nil) ?? []
        return (view, section[.subviews])
    }

    private mutating func object(_ value: ArchiveValue) -> ArchivedObject {
        var object = ArchivedObject()
        guard let section = value.section(ObjectKey.self) else { return object }
        object.id = id(section[.id])
        // There is no default: it would be a view, which belongs to the subviews.
        object.className = section.required(.className, "say of what class it is")?.text() ?? ""
        object.properties = section[.properties]?.properties() ?? object.properties
        object.variants = section[.variants]?.variants(ofWhatHasToBe: nil) ?? []
        return object
    }

    /// Counts a view or an object; returns `false` if there are too many.
    private mutating func add(_ value: ArchiveValue) -> Bool {
        guard size <= ArchiveLimits.instantiated else { return false }
        size += 1
        guard size > ArchiveLimits.instantiated else { return true }
        value.report("a view has at most \(ArchiveLimits.instantiated) views and objects; leave some to code")
        return false
    }

    private mutating func id(_ value: ArchiveValue?) -> String {
        guard let value, let id = value.text() else { return "" }
        if Self.reserved.contains(id) {
            value.report("\(id.quotedForMessage) has a meaning of its own in actions; take another id")
        } else if let first = ids[id] {
            value.report("\(id.quotedForMessage) is the id of another object already", besides: first)
        } else {
            ids[id] = value.node
        }
        return id
    }

    private func outlets(_ value: ArchiveValue) -> [ArchivedOutlet] {
        if case .object = value.node.value {
            return value.entries().compactMap { name, target in
                reference(target).map { ArchivedOutlet(name: name, destination: $0) }
            }
        }
        return value.elements().compactMap { element in
            guard let section = element.section(OutletKey.self),
                let called = section.required(.name, "say which outlet"), let name = called.text()
            else { return nil }
            let source = section[.of].flatMap { reference($0) }
            // Without "to" the name is also that of the object.
            return ArchivedOutlet(name: name, source: source, destination: reference(section[.to] ?? called))
        }
    }

    private func action(_ value: ArchiveValue) -> ArchivedAction? {
        guard let section = value.section(ActionKey.self),
            let name = section.required(.name, "say which action")?.text()
        else { return nil }
        let target: ArchivedAction.Target =
            switch section[.to]?.node.value {
            case nil, .string("owner"): .owner
            case .string("chain"): .chain
            default: .object(section[.to].flatMap { reference($0) } ?? "")
            }
        return ArchivedAction(
            name: name,
            source: section[.from].flatMap { reference($0) },
            event: section[.event]?.text(),
            target: target
        )
    }

    /// The id of an object of this nib.
    private func reference(_ value: ArchiveValue) -> String? {
        guard let id = value.text("an object's id") else { return nil }
        if ids[id] == nil {
            value.report("no object \(id.quotedForMessage)\(value.log.hint(for: id, among: ids.keys))")
        }
        return id
    }
}
