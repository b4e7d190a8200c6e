internal import ResourceManager

extension PropertyValue {
    /// What a node says; without recursion, for values may lie deeper in each other than a small stack takes.
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
            // A value that is whole is one of what has begun before it, and may be the last one of that.
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

    /// A list or an object of which a part is made.
    private struct Open {
        let isObject: Bool
        /// The index of the first mark that does not lie in it.
        let end: Int
        /// Of the next member.
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
