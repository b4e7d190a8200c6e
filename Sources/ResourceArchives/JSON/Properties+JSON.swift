public import ResourceManager

/// Why properties cannot be written as JSON.
public struct PropertyEncodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The names that lead to the value, with dots between them.
    public let path: String
    /// The problem of the value, and the remedy.
    public let message: String

    /// One line: `cannot write scroll.offset as JSON: nan is no number there; leave it out`.
    public var description: String { "cannot write \(path) as JSON: \(message)" }
}

extension Properties {
    /// Reads a JSON object; `file` is its name in problems.
    ///
    /// Whole numbers that fit in an `Int` become `PropertyValue.integer`, others `PropertyValue.number`.
    ///
    /// - Throws: ``ArchiveError/invalid(_:)`` for a text that is not JSON, or not an object.
    public init(json: [UInt8], file: String) throws(ArchiveError) {
        let log = ProblemLog(file: file)
        let root = ArchiveValue.root(json, log, limit: .max)
        guard let properties = root?.properties() else {
            throw ArchiveError.invalid(log.problems(in: root?.node.text))
        }
        self = properties
    }

    /// Writes these properties as one line of JSON, in time proportional to its length.
    ///
    /// Names are sorted: the same properties are always the same bytes. Reading them gives the same properties again,
    /// every number to its last bit.
    ///
    /// - Throws: ``PropertyEncodingError`` for a number that is infinite or NaN, for values that are nested more than 256
    ///   deep, and for a name with more than 30 combining characters in a row.
    public func json() throws(PropertyEncodingError) -> [UInt8] {
        var text = ""
        try PropertyValue.object(self).write(to: &text, path: [])
        return Array(text.utf8)
    }
}

extension PropertyValue {
    fileprivate func write(to text: inout String, path: [String]) throws(PropertyEncodingError) {
        func refusal(_ message: String) -> PropertyEncodingError {
            PropertyEncodingError(path: path.joined(separator: "."), message: message)
        }
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += "\(value)"
        case .number(let value):
            guard value.isFinite else { throw refusal("\(value) is no number there; leave it out") }
            text += "\(value)"
        case .string(let value): Self.write(value, to: &text)
        case .array(let values):
            guard path.count < JSONReader.depthLimit else {
                throw refusal("it lies too deep; flatten what is above it")
            }
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                try value.write(to: &text, path: path + ["\(index)"])
            }
            text += "]"
        case .object(let properties):
            guard path.count < JSONReader.depthLimit else {
                throw refusal("it lies too deep; flatten what is above it")
            }
            text += "{"
            for (index, entry) in properties.values.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { text += "," }
                guard JSONReader.isComparable(entry.key) else {
                    let limit = JSONReader.combiningLimit
                    throw refusal("a name in it has more than \(limit) combining characters in a row; shorten it")
                }
                Self.write(entry.key, to: &text)
                text += ":"
                try entry.value.write(to: &text, path: path + [entry.key])
            }
            text += "}"
        }
    }

    private static func write(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case "\n": text += "\\n"
            case ..<" ":
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
