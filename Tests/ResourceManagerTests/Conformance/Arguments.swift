/// An operation as a case writes it: its name and its arguments, which are read in order.
struct Arguments {
    let operation: String
    private var rest: ArraySlice<JSON>

    init(_ json: JSON) throws {
        let parts = try json.list()
        guard let name = parts.first else { throw CaseProblem("an operation has no name") }
        operation = try name.text()
        rest = parts.dropFirst()
    }

    /// The next argument, or `nil` if there is none.
    mutating func ifGiven<Value>(_ read: (JSON) throws -> Value) throws -> Value? {
        try rest.popFirst().map(read)
    }

    mutating func next<Value>(_ read: (JSON) throws -> Value) throws -> Value {
        guard let value = try ifGiven(read) else { throw CaseProblem("too few arguments") }
        return value
    }

    mutating func text() throws -> String { try next { try $0.text() } }
    mutating func texts() throws -> [String] { try next { try $0.texts() } }
    mutating func textOrNull() throws -> String? { try next { try $0.textOrNull() } }
    mutating func number() throws -> Int { try next { try $0.number() } }
    mutating func flag() throws -> Bool { try next { try $0.flag() } }

    /// The fields of an object.
    ///
    /// A missing object equals an empty one.
    mutating func fields() throws -> Fields {
        try Fields(ifGiven { $0 } ?? .object([:]), of: operation)
    }

    func finish() throws {
        guard rest.isEmpty else { throw CaseProblem("too many arguments") }
    }
}
