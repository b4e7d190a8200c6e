/// Where the values of a text stand, as editors count.
struct JSONPlaces {
    /// So many bytes are gone through for a place.
    private static let stride = 4096

    private let text: JSONText
    /// The position of every so manyth byte.
    private var positions: [TextPosition] = []

    /// Goes through the text once.
    init(_ text: JSONText) {
        self.text = text
        var position = TextPosition()
        for (index, byte) in text.bytes.enumerated() {
            if index % Self.stride == 0 { positions.append(position) }
            position.advance(past: byte)
        }
    }

    /// Where the value of a mark begins.
    func position(of index: Int) -> TextPosition {
        let start = Int(text.marks[index].start)
        var position = positions[start / Self.stride]
        for byte in text.bytes[(start / Self.stride * Self.stride)..<start] { position.advance(past: byte) }
        return position
    }
}

/// The names that lead to values of a text, asked for in the order of the text: all of them together take one way
/// through it.
struct JSONPaths {
    /// One object or list on the way.
    private struct Level {
        let end: Int
        let isObject: Bool
        /// The value in it that the way leads through.
        var child: Int
        var ordinal = 0
    }

    private let text: JSONText
    private var way: [Level] = []

    init(_ text: JSONText) {
        self.text = text
    }

    /// The names to the value of a mark, which lies no further ahead than the last; such as `scenes.home.children[0]`.
    mutating func path(to index: Int) -> String {
        while let level = way.last, level.end <= index { way.removeLast() }
        var container = way.last?.child ?? 0
        while true {
            if var level = way.popLast() {
                while text.marks[level.child].end <= index {
                    // In an object, the next value comes after its name.
                    level.child = Int(text.marks[level.child].end) + (level.isObject ? 1 : 0)
                    level.ordinal += 1
                }
                container = level.child
                way.append(level)
            }
            guard container != index else { return description }
            let node = JSONNode(text: text, index: container)
            let isObject = text.bytes[Int(text.marks[container].start)] == UInt8(ascii: "{")
            way.append(Level(end: node.end, isObject: isObject, child: container + (isObject ? 2 : 1)))
        }
    }

    private var description: String {
        var path = ""
        for level in way {
            if level.isObject {
                let name = text.string(at: level.child - 1)
                path += (path.isEmpty ? "" : ".") + name.shownInMessage
            } else {
                path += "[\(level.ordinal)]"
            }
        }
        return path
    }
}
