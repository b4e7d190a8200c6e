extension Array {
    /// Gives up the room of elements that have left, once these were more than three quarters.
    ///
    /// Adding does not do so, and removing neither: both would cost a copy at a moment that they do not know.
    package mutating func shrink() {
        guard capacity > 64, count < capacity / 4 else { return }
        var smaller: [Element] = []
        smaller.reserveCapacity(count)
        for element in self { smaller.append(element) }
        self = smaller
    }
}

extension Dictionary {
    /// Gives up the room of elements that have left, once these were more than three quarters.
    package mutating func shrink() {
        guard capacity > 64, count < capacity / 4 else { return }
        var smaller: Self = [:]
        smaller.reserveCapacity(count)
        for (key, value) in self { smaller[key] = value }
        self = smaller
    }
}
