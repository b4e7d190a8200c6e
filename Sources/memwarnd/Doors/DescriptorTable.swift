/// Values by file descriptor: an array, since descriptors are small numbers and each packet looks its peer up.
struct DescriptorTable<Value> {
    private var values: [Value?] = []
    private var count = 0

    subscript(descriptor: CInt) -> Value? {
        @inline(__always)
        get { Int(descriptor) < values.count ? values[Int(descriptor)] : nil }
    }

    /// Adds the value of a descriptor that has none.
    mutating func add(_ value: Value, for descriptor: CInt) {
        while values.count <= Int(descriptor) { values.append(nil) }
        values[Int(descriptor)] = value
        count += 1
    }

    /// Removes the value of a descriptor; `nil` if it has none.
    mutating func remove(_ descriptor: CInt) -> Value? {
        guard let value = self[descriptor] else { return nil }
        values[Int(descriptor)] = nil
        count -= 1
        return value
    }

    /// Gives up the room of values that were removed, once these were more than three quarters.
    mutating func shrink() {
        guard values.capacity > 64, count < values.capacity / 4 else { return }
        let end = values.lastIndex { $0 != nil }.map { $0 + 1 } ?? 0
        values = Array(values[..<end])
    }
}
