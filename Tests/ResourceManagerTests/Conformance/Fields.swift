/// The fields of a JSON object.
///
/// Each can be taken once; a field that is left at the end is an error.
struct Fields {
    private let what: String
    private var values: [String: JSON]

    init(_ json: JSON, of what: String) throws {
        self.what = what
        values = try json.object()
    }

    /// A field, or `nil` if it is not there.
    mutating func take<Value>(_ name: String, _ read: (JSON) throws -> Value) throws -> Value? {
        try values.removeValue(forKey: name).map { value in
            do { return try read(value) } catch { throw CaseProblem("\(name) of \(what): \(error)") }
        }
    }

    /// A field that has to be there.
    mutating func need<Value>(_ name: String, _ read: (JSON) throws -> Value) throws -> Value {
        guard let value = try take(name, read) else { throw CaseProblem("\(what) has no \(name)") }
        return value
    }

    func finish() throws {
        guard values.isEmpty else {
            throw CaseProblem("\(what) has the unknown \(values.keys.sorted().joined(separator: ", "))")
        }
    }
}
