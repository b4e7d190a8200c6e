/// Suggests the known name that a misspelled one probably means.
package struct Spelling {
    /// The remaining budget of compared letters and examined names.
    private var steps: Int

    /// Creates a guesser with a total budget of steps; there are no hints when it is used up.
    package init(steps: Int = .max) {
        self.steps = steps
    }

    /// `; did you mean "detail"?`, or nothing if no name is close.
    ///
    /// A name is close if at most a third of its letters are omitted, inserted, changed or swapped with the next. Among
    /// equally close names the first in alphabetical order is suggested.
    package mutating func hint(for name: String, among known: some Sequence<String>) -> String {
        // A name this long is not written by hand, and the search is quadratic.
        guard name.utf8.count <= 4 * 64, case let letters = Array(name.unicodeScalars), letters.count <= 64 else {
            return ""
        }
        let limit = letters.count / 3
        var best: (name: String, distance: Int)?
        for candidate in known {
            steps -= 1
            // A letter has four bytes at most.
            guard steps > 0 else { return "" }
            guard candidate.utf8.count <= 4 * (letters.count + limit) else { continue }
            let other = Array(candidate.unicodeScalars)
            guard abs(other.count - letters.count) <= limit else { continue }
            steps -= other.count * letters.count
            let distance = Self.distance(letters, other)
            guard distance <= limit else { continue }
            if best.map({ (distance, candidate) < ($0.distance, $0.name) }) ?? true { best = (candidate, distance) }
        }
        return best.map { "; did you mean \"\($0.name)\"?" } ?? ""
    }

    /// The number of edits between two names: the optimal string alignment distance.
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var before: [Int] = []
        var previous = Array(0...right.count)
        for row in left.indices {
            var current = [row + 1]
            for column in right.indices {
                let isSame = left[row] == right[column]
                var cost = min(previous[column + 1] + 1, current[column] + 1, previous[column] + (isSame ? 0 : 1))
                if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
                    cost = min(cost, before[column - 1] + 1)
                }
                current.append(cost)
            }
            (before, previous) = (previous, current)
        }
        return previous[right.count]
    }
}
