extension Array {
    /// The elements in order; equal elements keep theirs.
    ///
    /// Sorts positions, because the standard library's sort is compiled again for each kind of element: ten of them were
    /// three per cent of the daemon.
    package func ordered(by precedes: (Element, Element) -> Bool) -> [Element] {
        orderedPositions(count) { precedes(self[$0], self[$1]) }.map { self[$0] }
    }
}

/// The positions of a list in the order of its elements; equal elements keep theirs.
@inline(never)
package func orderedPositions(_ count: Int, by precedes: (Int, Int) -> Bool) -> [Int] {
    var positions = Array(0..<count)
    positions.sort(by: precedes)
    return positions
}
