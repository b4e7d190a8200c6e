internal import MemwarnProtocol
internal import ResourceManager

/// Decodes the objects of one nib and their connections.
struct NibDecoder {
    /// Ids that actions give another meaning.
    private static let reserved = ["owner", "chain"]

    private var ids: [String: ArchiveValue] = [:]

    /// A nib of these values; for a problem in one, something harmless stands in.
    static func nib(
        view: ArchiveValue?,
        objects: ArchiveValue?,
        outlets: ArchiveValue?,
        actions: ArchiveValue?
    ) -> NibArchive {
        var decoder = Self()
        // Objects first: connections refer to their ids.
        var nib = NibArchive()
        if let view { nib.view = decoder.view(view, isRoot: true) }
        nib.objects = objects?.elements().map { decoder.object($0) } ?? []
        nib.outlets = outlets.map { decoder.outlets($0) } ?? []
        nib.actions = actions?.elements().compactMap { decoder.action($0) } ?? []
        return nib
    }

    private mutating func view(_ value: ArchiveValue, isRoot: Bool) -> ArchivedObject {
        var view = ArchivedObject()
        guard let section = value.section(ViewKey.self) else { return view }
        view.id = id(section[.id])
        view.className = section[.className]?.text() ?? view.className
        view.properties = section[.properties]?.properties() ?? view.properties
        view.subviews = section[.subviews]?.elements().map { self.view($0, isRoot: false) } ?? []
        view.variants = section[.variants]?.variants(ofWhatHasToBe: isRoot ? "a nib's root view" : nil) ?? []
        return view
    }

    private mutating func object(_ value: ArchiveValue) -> ArchivedObject {
        var object = ArchivedObject()
        guard let section = value.section(ObjectKey.self) else { return object }
        object.id = id(section[.id])
        // No default here: that is a view, which belongs to the subviews.
        object.className = section.required(.className, "say of what class it is")?.text() ?? ""
        object.properties = section[.properties]?.properties() ?? object.properties
        object.variants = section[.variants]?.variants(ofWhatHasToBe: nil) ?? []
        return object
    }

    private mutating func id(_ value: ArchiveValue?) -> String {
        guard let value, let id = value.text() else { return "" }
        if Self.reserved.contains(id) {
            value.report("\"\(id)\" has a meaning of its own in actions; take another id")
        } else if let first = ids[id] {
            value.report("\"\(id)\" is the id of an object in line \(first.node.position.line) already")
        } else {
            ids[id] = value
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
            // Without "to" the name is that of the object as well.
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
        if ids[id] == nil { value.report("no object \"\(id)\"\(Spelling.hint(for: id, among: ids.keys))") }
        return id
    }
}
