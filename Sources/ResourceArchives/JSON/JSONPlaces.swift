/// The places of the values of a text, in the coordinates of editors.
struct JSONPlaces {
    /// The number of bytes that are read for one place.
    private static let stride = 4096

    private let text: JSONText
    /// The positions at multiples of the stride.
    private var positions: [TextPosition] = []

    /// Reads the text once.
    init(_ text: JSONText) {
        self.text = text
        var position = TextPosition()
        for (index, byte) in text.bytes.enumerated() {
            if index % Self.stride == 0 { positions.append(position) }
            position.advance(past: byte)
        }
    }

    /// The place where the value of a mark begins.
    func position(of index: Int) -> TextPosition {
        let start = Int(text.marks[index].start)
        var position = positions[start / Self.stride]
        for byte in text.bytes[(start / Self.stride * Self.stride)..<start] { position.advance(past: byte) }
        return position
    }
}

/// The names that lead to values of a text, requested in the order of the text: all of them together take one pass.
struct JSONPaths {
    /// One object or list on the way.
    private struct Level {
        let end: Int
        let isObject: Bool
        /// The value in it that the path leads through.
        var child: Int
        var ordinal = 0
    }

    private let text: JSONText
    private var way: [Level] = []

    init(_ text: JSONText) {
        self.text = text
    }

    /// The names that lead to the value of a mark, which must not precede the last one; such as
    /// `scenes.home.children[0]`.
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
