/// One value of a JSON text, and where it begins.
struct JSONNode: Equatable, Sendable {
    /// What it is.
    var value: JSONValue
    /// Where it begins.
    var position: TextPosition
}

/// What a JSON text can say, with members in the order of the text.
enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONNode])
    case object([JSONMember])
}

/// One member of an object: no other of the same object has its name.
struct JSONMember: Equatable, Sendable {
    var name: String
    var node: JSONNode
}

/// A place in a text, as editors count.
struct TextPosition: Equatable, Sendable {
    /// The line, from 1.
    var line = 1
    /// The column in code points, from 1.
    var column = 1
}

/// Why a text is not JSON, at the first place where it is not.
struct JSONError: Error, Equatable {
    var position: TextPosition
    var message: String
}
