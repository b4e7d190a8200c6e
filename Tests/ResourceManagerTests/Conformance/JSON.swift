/// A value in a line of a case file.
enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case string(String)
    case array([JSON])
    case object([String: JSON])
}

extension JSON: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }
}

extension JSON: CustomStringConvertible {
    var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .string(let value): "\"\(value)\""
        case .array(let values): "[\(values.map(\.description).joined(separator: ", "))]"
        case .object(let values):
            "{\(values.sorted { $0.key < $1.key }.map { "\"\($0)\": \($1)" }.joined(separator: ", "))}"
        }
    }
}

extension JSON {
    func text() throws -> String {
        guard case .string(let value) = self else { throw CaseProblem("\(self) is not a text") }
        return value
    }

    /// A text, or `nil` for null.
    func textOrNull() throws -> String? {
        self == .null ? nil : try text()
    }

    func flag() throws -> Bool {
        guard case .bool(let value) = self else { throw CaseProblem("\(self) is neither true nor false") }
        return value
    }

    /// A whole number that is not negative.
    func number() throws -> Int {
        guard case .integer(let value) = self, value >= 0 else {
            throw CaseProblem("\(self) is not a whole number from 0 on")
        }
        return value
    }

    func list() throws -> [JSON] {
        guard case .array(let values) = self else { throw CaseProblem("\(self) is not a list") }
        return values
    }

    func texts() throws -> [String] {
        try list().map { try $0.text() }
    }

    func object() throws -> [String: JSON] {
        guard case .object(let values) = self else { throw CaseProblem("\(self) is not an object") }
        return values
    }

    /// The case of an enumeration that has this text as its raw value.
    func choice<Choice: RawRepresentable<String>>(_ type: Choice.Type = Choice.self) throws -> Choice {
        let text = try text()
        guard let choice = Choice(rawValue: text) else { throw CaseProblem("there is no \(Choice.self) \(text)") }
        return choice
    }
}
