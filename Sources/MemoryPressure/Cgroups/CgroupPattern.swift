/// Names cgroups by their paths below the mount, such as `/system.slice/*.service`: `*` matches any characters within
/// one component.
package struct CgroupPattern: Hashable, Sendable {
    /// The pattern as it was written.
    package let text: String
    /// What each component of a path has to match; never empty.
    let components: [Component]

    /// Reads a pattern.
    ///
    /// - Throws: ``ParseError`` if it is not absolute, names the root, or has a component that is empty, `.` or `..`.
    package init(_ text: String) throws(ParseError) {
        guard text.utf8.first == UInt8(ascii: "/") else { throw ParseError(text, "has to begin with /") }
        guard text != "/" else { throw ParseError(text, "is the whole host; name a cgroup below it") }
        let components = text.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        for component in components {
            if component.isEmpty {
                throw ParseError(text, "has nothing between two / or after the last; leave one / out")
            }
            if component.elementsEqual(".".utf8) || component.elementsEqual("..".utf8) {
                throw ParseError(text, "must not have . or .. in it; write the path without")
            }
        }
        self.text = text
        self.components = components.map { Component(text: Array($0)) }
    }

    /// Whether a cgroup's path matches; paths are absolute.
    package func matches(_ path: String) -> Bool {
        guard path.utf8.first == UInt8(ascii: "/") else { return false }
        // Compares bytes: a name may begin with a combining mark, which forms one Character with the slash before it.
        let names = path.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return matches(names.map { String(Substring($0)) })
    }

    /// Whether the cgroup with these names from the root on matches.
    func matches(_ names: [String]) -> Bool {
        names.count == components.count && zip(components, names).allSatisfy { $0.matches($1) }
    }

    /// Whether a match may lie below the cgroup with these names from the root on.
    func leads(through names: [String]) -> Bool {
        names.count < components.count && zip(components, names).allSatisfy { $0.matches($1) }
    }
}

extension CgroupPattern {
    /// The pattern of one component of a path.
    struct Component: Hashable, Sendable {
        let text: [UInt8]

        /// Whether a name matches as a whole.
        ///
        /// Each `*` takes as few characters as possible, and one more whenever the rest does not match. Only the last
        /// `*` is ever extended, so the time is at most the product of the two lengths.
        func matches(_ name: String) -> Bool {
            let name = Array(name.utf8)
            var position = 0
            var taken = 0
            var star: (after: Int, taken: Int)?
            while taken < name.count {
                if position < text.count, text[position] == UInt8(ascii: "*") {
                    position += 1
                    star = (position, taken)
                } else if position < text.count, text[position] == name[taken] {
                    position += 1
                    taken += 1
                } else if let last = star {
                    position = last.after
                    taken = last.taken + 1
                    star = (position, taken)
                } else {
                    return false
                }
            }
            return text[position...].allSatisfy { $0 == UInt8(ascii: "*") }
        }
    }

    /// Why a text is not a pattern.
    package struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
        /// The text.
        package let pattern: String
        /// The problem, as the rest of a sentence.
        package let problem: String

        init(_ pattern: String, _ problem: String) {
            self.pattern = pattern
            self.problem = problem
        }

        /// One line, for example `the cgroup pattern "system.slice" has to begin with /`.
        package var description: String { "the cgroup pattern \"\(pattern)\" \(problem)" }
    }
}

extension CgroupPattern: CustomStringConvertible {
    /// The pattern as it was written.
    package var description: String { text }
}
