internal import MemwarnProtocol
internal import ResourceManager

/// A value of a file that is being decoded; its problems are recorded, and decoding continues.
struct ArchiveValue {
    let node: JSONNode
    let log: ProblemLog

    /// The value of a whole file; `nil`, with a problem, if it is not JSON or too long.
    static func root(
        _ bytes: [UInt8],
        _ log: ProblemLog,
        limit: Int = ArchiveLimits.bytes,
        textsAreKeys: Bool = false
    ) -> Self? {
        guard bytes.count <= limit else {
            log.fail("the file is larger than \(limit >> 20) MiB; make several of it")
            return nil
        }
        do throws(JSONError) {
            return Self(node: try JSONText(bytes, textsAreKeys: textsAreKeys).root, log: log)
        } catch {
            log.fail(error.message, at: error.position)
            return nil
        }
    }

    /// Records a problem of this value; `other` is another value that the message mentions.
    func report(
        _ message: @autoclosure () -> String,
        _ severity: ArchiveProblem.Severity = .error,
        besides other: JSONNode? = nil
    ) {
        log.add(severity, message, at: node, besides: other)
    }

    /// A text that is not empty.
    func text(_ expected: @autoclosure () -> String = "a text in quotes that is not empty") -> String? {
        guard case .string(let text) = node.value, !text.isEmpty else { return mismatch(expected()) }
        return text
    }

    func bool() -> Bool? {
        guard case .bool(let value) = node.value else { return mismatch("true or false") }
        return value
    }

    /// A whole number of at least 1.
    func count() -> Int? {
        guard case .integer(let value) = node.value, value >= 1 else { return mismatch("a whole number from 1 on") }
        return value
    }

    /// One of the texts of a type.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(_ type: Choice.Type) -> Choice? {
        var list: String { Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ") }
        guard let text = text(list) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let known = Choice.allCases.lazy.map(\.rawValue)
            report("expected \(list), found \(text.quotedForMessage)\(log.hint(for: text, among: known))")
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
    func elements() -> ArchiveElements {
        let none = ArchiveElements(nodes: nil, log: log)
        guard case .array(let nodes) = node.value else { return mismatch("a list in [ ]") ?? none }
        return ArchiveElements(nodes: nodes, log: log)
    }

    /// The members of an object whose names are the author's, in the order of the file.
    func entries() -> ArchiveEntries {
        let none = ArchiveEntries(members: nil, log: log)
        guard case .object(let members) = node.value else { return mismatch("an object in { }") ?? none }
        return ArchiveEntries(members: members, log: log)
    }

    /// The members of an object whose names are the format's; other names are problems.
    func section<Key: ArchiveKey>(_ keys: Key.Type) -> ArchiveSection<Key>? {
        guard case .object(let members) = node.value else { return mismatch("an object in { }") }
        var values: [(key: Key, value: ArchiveValue)] = []
        for member in members {
            let value = ArchiveValue(node: member.node, log: log)
            if let key = Key(rawValue: member.name) {
                values.append((key, value))
            } else {
                let known = Key.allCases.lazy.map(\.rawValue)
                value.report(
                    """
                    unknown key; known here: \(known.joined(separator: ", "))\
                    \(log.hint(for: member.name, among: known))
                    """
                )
            }
        }
        return ArchiveSection(whole: self, values: values)
    }

    /// Records that another value is expected here.
    func mismatch<Value>(_ expected: @autoclosure () -> String) -> Value? {
        report("expected \(expected()), found \(node.value.found)")
        return nil
    }
}

/// The values of a list, one at a time: a file can have very many.
struct ArchiveElements: Sequence, IteratorProtocol {
    fileprivate var nodes: JSONElements?
    fileprivate let log: ProblemLog

    mutating func next() -> ArchiveValue? { nodes?.next().map { ArchiveValue(node: $0, log: log) } }
}

/// The members of an object whose names are the author's.
struct ArchiveEntries: Sequence, IteratorProtocol {
    fileprivate var members: JSONMembers?
    fileprivate let log: ProblemLog

    /// The number of remaining members.
    var count: Int { members?.count ?? 0 }

    mutating func next() -> (name: String, value: ArchiveValue)? {
        guard let member = members?.next() else { return nil }
        let value = ArchiveValue(node: member.node, log: log)
        if member.name.isEmpty { value.report("a name must not be empty") }
        return (member.name, value)
    }
}

/// An object of a file whose names are the format's.
struct ArchiveSection<Key: ArchiveKey> {
    /// The object itself.
    let whole: ArchiveValue
    fileprivate let values: [(key: Key, value: ArchiveValue)]

    subscript(_ key: Key) -> ArchiveValue? { values.first { $0.key == key }?.value }

    /// The value of a key; a missing value is a problem.
    func required(_ key: Key, _ expected: @autoclosure () -> String) -> ArchiveValue? {
        let value = self[key]
        if value == nil { whole.report("\"\(key.rawValue)\" is missing: \(expected())") }
        return value
    }
}

extension JSONValue {
    /// Its description in a problem.
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
