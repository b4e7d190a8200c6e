internal import ResourceManager

extension PropertyValue {
    /// Creates the value of a node; without recursion, because values may be nested deeper than a small stack permits.
    init(_ node: JSONNode) {
        let text = node.text
        var open: [Open] = []
        var index = node.index
        while true {
            var value = PropertyValue.null
            let node = JSONNode(text: text, index: index)
            index += 1
            switch node.value {
            case .null: break
            case .bool(let bool): value = .bool(bool)
            case .integer(let integer): value = .integer(integer)
            case .number(let number): value = .number(number)
            case .string(let string): value = .string(string)
            case .array(let elements):
                value = .array([])
                if index < node.end { open.append(Open(elements, end: node.end)) }
            case .object(let members):
                value = .object(Properties())
                if index < node.end { open.append(Open(members, end: node.end)) }
            }
            // A complete value belongs to the innermost open list or object, and may be its last value.
            if index == node.end {
                while let last = open.indices.last {
                    open[last].add(value)
                    guard index == open[last].end else { break }
                    value = open.removeLast().value
                }
            }
            guard let last = open.indices.last else {
                self = value
                return
            }
            if open[last].isObject {
                open[last].name = text.string(at: index)
                index += 1
            }
        }
    }

    /// An unfinished list or object.
    private struct Open {
        let isObject: Bool
        /// The index of the first mark outside of it.
        let end: Int
        /// The name of the next member.
        var name = ""
        private var elements: [PropertyValue] = []
        private var members: [String: PropertyValue] = [:]

        init(_ list: JSONElements, end: Int) {
            isObject = false
            self.end = end
            elements.reserveCapacity(list.count)
        }

        init(_ object: JSONMembers, end: Int) {
            isObject = true
            self.end = end
            members.reserveCapacity(object.count)
        }

        mutating func add(_ value: PropertyValue) {
            if isObject { members[name] = value } else { elements.append(value) }
        }

        var value: PropertyValue { isObject ? .object(Properties(members)) : .array(elements) }
    }
}
