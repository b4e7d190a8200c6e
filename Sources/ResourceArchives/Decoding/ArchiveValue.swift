internal import MemwarnProtocol
internal import ResourceManager

/// A value of a file that is being decoded; what is wrong with it is noted, and decoding goes on.
struct ArchiveValue {
    let node: JSONNode
    /// The names that lead to it.
    let path: String
    let log: ProblemLog

    /// The value of a whole file; `nil`, with a problem, if it is not JSON.
    static func root(_ bytes: [UInt8], _ log: ProblemLog) -> Self? {
        do throws(JSONError) {
            return Self(node: try JSONReader.read(bytes), path: "", log: log)
        } catch {
            log.add(.error, error.message, at: error.position, path: "")
            return nil
        }
    }

    func report(_ message: String, _ severity: ArchiveProblem.Severity = .error) {
        log.add(severity, message, at: node.position, path: path)
    }

    /// A text with something in it.
    func text(_ expected: String = "a text in quotes that is not empty") -> String? {
        guard case .string(let text) = node.value, !text.isEmpty else { return mismatch(expected) }
        return text
    }

    func bool() -> Bool? {
        guard case .bool(let value) = node.value else { return mismatch("true or false") }
        return value
    }

    /// A whole number from 1 on.
    func count() -> Int? {
        guard case .integer(let value) = node.value, value >= 1 else { return mismatch("a whole number from 1 on") }
        return value
    }

    /// One of the texts that a type knows.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(_ type: Choice.Type) -> Choice? {
        let known = Choice.allCases.map(\.rawValue)
        let list = known.map { "\"\($0)\"" }.joined(separator: " or ")
        guard let text = text(list) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            report("expected \(list), found \"\(text)\"\(Spelling.hint(for: text, among: known))")
            return nil
        }
        return choice
    }

    func properties() -> Properties? {
        guard case .object = node.value, case .object(let properties) = PropertyValue(node) else {
            return mismatch("an object")
        }
        return properties
    }

    /// The values of a list.
    func elements() -> [ArchiveValue] {
        guard case .array(let nodes) = node.value else { return mismatch("a list in [ ]") ?? [] }
        return nodes.enumerated().map { ArchiveValue(node: $1, path: "\(path)[\($0)]", log: log) }
    }

    /// The members of an object whose names are the author's, in the order of the file.
    func entries() -> [(name: String, value: ArchiveValue)] {
        guard case .object(let members) = node.value else { return mismatch("an object in { }") ?? [] }
        return members.map { member in
            let value = inner(member)
            if member.name.isEmpty { value.report("a name must not be empty") }
            return (member.name, value)
        }
    }

    /// The members of an object whose names are the format's; others are problems.
    func section<Key: ArchiveKey>(_ keys: Key.Type) -> ArchiveSection<Key>? {
        guard case .object(let members) = node.value else { return mismatch("an object in { }") }
        var values: [Key: ArchiveValue] = [:]
        for member in members {
            let value = inner(member)
            if let key = Key(rawValue: member.name) {
                values[key] = value
            } else {
                let known = Key.allCases.map(\.rawValue)
                let hint = Spelling.hint(for: member.name, among: known)
                value.report("unknown key; known here: \(known.joined(separator: ", "))\(hint)")
            }
        }
        return ArchiveSection(whole: self, values: values)
    }

    /// Notes that something else is expected here.
    func mismatch<Value>(_ expected: String) -> Value? {
        report("expected \(expected), found \(node.value.found)")
        return nil
    }

    private func inner(_ member: JSONMember) -> ArchiveValue {
        ArchiveValue(node: member.node, path: path.isEmpty ? member.name : "\(path).\(member.name)", log: log)
    }
}

/// An object of a file whose names are the format's.
struct ArchiveSection<Key: ArchiveKey> {
    /// The object itself.
    let whole: ArchiveValue
    fileprivate let values: [Key: ArchiveValue]

    subscript(_ key: Key) -> ArchiveValue? { values[key] }

    /// The value of a key; if it is not there, that is a problem.
    func required(_ key: Key, _ expected: String) -> ArchiveValue? {
        if values[key] == nil { whole.report("\"\(key.rawValue)\" is missing: \(expected)") }
        return values[key]
    }
}

extension JSONValue {
    /// What a problem calls it.
    fileprivate var found: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .integer(let value): "\(value)"
        case .number(let value): "\(value)"
        case .string(let value): value.isEmpty ? "an empty text" : "a text"
        case .array: "a list"
        case .object: "an object"
        }
    }
}
