import ResourceManager

/// The contents of a case: the given objects, the operations, and the outcome that they must have.
struct Script: Sendable {
    let policy: ReleasePolicy
    let delivery: WarningDelivery
    let alphabet: Alphabet
    /// The subjects whose events count; `nil` for all.
    let only: Set<String>?
    let annotation: Annotation?
    let given: [Operation]
    let when: [Operation]
    let assertions: [Assertion]
    let expected: Outcome

    init(_ json: JSON) throws {
        var fields = try Fields(json, of: "the case")
        _ = try fields.need("id") { try $0.text() }
        policy = try fields.need("policy") { try $0.choice(PolicyName.self) }.policy
        delivery = try fields.need("delivery") { try $0.choice(DeliveryName.self) }.delivery
        alphabet = try fields.need("alphabet") { try $0.choice() }
        only = try fields.take("only") { Set(try $0.texts()) }
        annotation = try fields.take("annotate") { try $0.choice() }
        given = try fields.need("given", Operation.list)
        when = try fields.need("when", Operation.list)
        let assertions = try fields.take("assert") { try $0.object().mapValues { $0 } } ?? [:]
        self.assertions = try assertions.keys.sorted().map(Assertion.init)
        expected = Outcome(events: try fields.need("expect") { try $0.texts() }, state: assertions)
        // For human readers only.
        for name in ["status", "source", "note"] { _ = try fields.take(name) { try $0.text() } }
        _ = try fields.take("section") { try $0.number() }
        try fields.finish()
    }

    private enum PolicyName: String {
        case unload
        case keep

        var policy: ReleasePolicy { self == .unload ? .unload : .keep }
    }

    private enum DeliveryName: String {
        case all
        case offWindowOnly

        var delivery: WarningDelivery { self == .all ? .all : .offWindowOnly }
    }
}

/// A state that is written behind an event, as it is when the callback is entered.
enum Annotation: String, Sendable {
    /// Behind each callback whose name begins with `view`: whether the root view has a superview.
    case superview
    /// Behind each event of the core: whether the view is loaded.
    case loaded
}

/// A question about a controller after all operations.
struct Assertion: Sendable {
    enum Property: String {
        case isViewLoaded
        case superviewIsNil
        case parent
    }

    let key: String
    let controller: String
    let property: Property

    init(_ key: String) throws {
        let parts = key.split(separator: ".").map(String.init)
        guard parts.count == 2, let property = Property(rawValue: parts[1]) else {
            throw CaseProblem("nothing is known of the state \(key)")
        }
        self.key = key
        controller = parts[0]
        self.property = property
    }
}
