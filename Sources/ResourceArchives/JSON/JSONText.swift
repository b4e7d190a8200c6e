/// A valid JSON text with the places of its values.
///
/// It holds a text's bytes and eight more for each value: as a tree of objects, a file with a few bytes per value would
/// take many times its size. A value is read from the bytes when it is requested.
final class JSONText: Sendable {
    /// The beginning and end of one value, or of the name before a value.
    struct Mark {
        /// The first byte.
        let start: UInt32
        /// The index of the first mark outside of it.
        var end: UInt32
    }

    /// The text, at most 4 GiB.
    let bytes: [UInt8]
    /// All values in the order of the text, each member's name before its value.
    let marks: [Mark]

    /// Reads a text; takes time and memory proportional to its length.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - textsAreKeys: Whether all its texts in quotes may become keys of a dictionary, not only its names.
    /// - Throws: ``JSONError`` for the first place where it is not JSON, or a key would take long to compare.
    init(_ bytes: [UInt8], textsAreKeys: Bool = false) throws(JSONError) {
        guard bytes.count < UInt32.max else {
            throw JSONError(position: TextPosition(), message: "this is larger than 4 GiB")
        }
        var reader = JSONReader(bytes, textsAreKeys: textsAreKeys)
        marks = try reader.marks()
        self.bytes = bytes
    }

    /// The text in quotes of a mark: a name's or a value's.
    func string(at index: Int) -> String { JSONReader.string(in: bytes, at: Int(marks[index].start)) }

    /// The only value of the text.
    var root: JSONNode { JSONNode(text: self, index: 0) }
}

/// One value of a JSON text.
struct JSONNode: Sendable {
    let text: JSONText
    /// Its mark.
    let index: Int

    /// The index of the first mark outside of it.
    var end: Int { Int(text.marks[index].end) }

    /// The value.
    var value: JSONValue {
        let start = Int(text.marks[index].start)
        return switch text.bytes[start] {
        case UInt8(ascii: "{"): .object(JSONMembers(text: text, index: index + 1, end: end))
        case UInt8(ascii: "["): .array(JSONElements(text: text, index: index + 1, end: end))
        case UInt8(ascii: "\""): .string(text.string(at: index))
        case UInt8(ascii: "t"): .bool(true)
        case UInt8(ascii: "f"): .bool(false)
        case UInt8(ascii: "n"): .null
        default: JSONReader.number(in: text.bytes, at: start)
        }
    }

    /// Whether it is a text in quotes.
    var isString: Bool { text.bytes[Int(text.marks[index].start)] == UInt8(ascii: "\"") }
}

/// The kinds of values in a JSON text.
enum JSONValue {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array(JSONElements)
    case object(JSONMembers)
}

/// The values of a list, in the order of the text.
struct JSONElements: Sequence, IteratorProtocol {
    let text: JSONText
    fileprivate var index: Int
    fileprivate let end: Int

    /// The number of remaining elements.
    var count: Int {
        var count = 0
        var mark = index
        while mark < end {
            mark = Int(text.marks[mark].end)
            count += 1
        }
        return count
    }

    mutating func next() -> JSONNode? {
        guard index < end else { return nil }
        let node = JSONNode(text: text, index: index)
        index = node.end
        return node
    }
}

/// The members of an object, in the order of the text: no two have the same name.
struct JSONMembers: Sequence, IteratorProtocol {
    let text: JSONText
    fileprivate var index: Int
    fileprivate let end: Int

    /// The number of remaining elements.
    var count: Int {
        var count = 0
        var mark = index
        while mark < end {
            mark = Int(text.marks[mark + 1].end)
            count += 1
        }
        return count
    }

    mutating func next() -> (name: String, node: JSONNode)? {
        guard index < end else { return nil }
        let name = text.string(at: index)
        let node = JSONNode(text: text, index: index + 1)
        index = node.end
        return (name, node)
    }
}
