/// The contents of a nib: the objects that make up one controller's view, and how they are connected.
public struct NibArchive: Sendable, Hashable {
    /// The root view with all views below it.
    public var view: ArchivedObject
    /// Further objects that are not views.
    public var objects: [ArchivedObject]
    /// The references to set, in this order.
    public var outlets: [ArchivedOutlet]
    /// The handlers to connect, in this order.
    public var actions: [ArchivedAction]

    /// A nib of these parts.
    public init(
        view: ArchivedObject = ArchivedObject(),
        objects: [ArchivedObject] = [],
        outlets: [ArchivedOutlet] = [],
        actions: [ArchivedAction] = []
    ) {
        self.view = view
        self.objects = objects
        self.outlets = outlets
        self.actions = actions
    }
}

/// One object of a nib.
public struct ArchivedObject: Sendable, Hashable {
    /// The name by which connections refer to it; empty if none does.
    public var id: String
    /// The name under which its class is registered with the host's ``ClassRegistry``.
    public var className: String
    /// The properties that its `init(coder:)` reads.
    public var properties: Properties
    /// The subviews, if it is a view.
    public var subviews: [ArchivedObject]
    /// Differences for some environments, in order: of the variants that apply, the last one wins.
    public var variants: [ArchiveVariant]

    /// An object; by default a plain, empty view.
    public init(
        id: String = "",
        className: String = "View",
        properties: Properties = Properties(),
        subviews: [ArchivedObject] = [],
        variants: [ArchiveVariant] = []
    ) {
        self.id = id
        self.className = className
        self.properties = properties
        self.subviews = subviews
        self.variants = variants
    }
}

/// A reference from one object of a nib to another.
public struct ArchivedOutlet: Sendable, Hashable {
    /// The outlet's name in the class of the object that has it.
    public var name: String
    /// The object that has the outlet; `nil` for the nib's owner.
    public var source: String?
    /// The id of the object that it refers to.
    public var destination: String

    /// An outlet; by default one of the owner, with the same name as the object that it refers to.
    public init(name: String, source: String? = nil, destination: String? = nil) {
        self.name = name
        self.source = source
        self.destination = destination ?? name
    }
}

/// An event of one object that becomes a command to another.
public struct ArchivedAction: Sendable, Hashable {
    /// The object that the command goes to.
    public enum Target: Sendable, Hashable {
        /// The nib's owner.
        case owner
        /// The object with this id.
        case object(String)
        /// The first responder in the chain that has the action.
        case chain
    }

    /// The command's name.
    public var name: String
    /// The id of the object whose event it is; `nil` for the root view.
    public var source: String?
    /// The event.
    public var event: String
    /// The object that the command goes to.
    public var target: Target

    /// An action; by default sent to the owner, by an event of the same name.
    public init(name: String, source: String? = nil, event: String? = nil, target: Target = .owner) {
        self.name = name
        self.source = source
        self.event = event ?? name
        self.target = target
    }
}

/// The differences of an object in environments of a certain kind.
public struct ArchiveVariant: Sendable, Hashable {
    /// Where it applies.
    public var condition: EnvironmentCondition
    /// Properties that replace the object's own.
    public var properties: Properties
    /// Whether the object is left out, with its subviews and all its connections.
    public var isAbsent: Bool

    /// A variant.
    public init(when condition: EnvironmentCondition, properties: Properties = Properties(), isAbsent: Bool = false) {
        self.condition = condition
        self.properties = properties
        self.isAbsent = isAbsent
    }
}

extension [ArchiveVariant] {
    /// The object's properties in an environment; `nil` if the object is absent there.
    func applied(to properties: Properties, in environment: Environment) -> Properties? {
        let variants = filter { $0.condition.holds(in: environment) }
        if variants.last?.isAbsent ?? false { return nil }
        return variants.reduce(into: properties) { $0.merge($1.properties) }
    }
}
