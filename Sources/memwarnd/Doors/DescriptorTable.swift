import WarningPolicy

/// Values by file descriptor: an array, since descriptors are small numbers and each packet looks its peer up.
struct DescriptorTable<Value> {
    private var values: [Value?] = []

    subscript(descriptor: CInt) -> Value? {
        @inline(__always)
        get { Int(descriptor) < values.count ? values[Int(descriptor)] : nil }
    }

    /// Adds the value of a descriptor that has none.
    mutating func add(_ value: Value, for descriptor: CInt) {
        while values.count <= Int(descriptor) { values.append(nil) }
        values[Int(descriptor)] = value
    }

    /// Removes the value of a descriptor; `nil` if it has none.
    mutating func remove(_ descriptor: CInt) -> Value? {
        guard let value = self[descriptor] else { return nil }
        values[Int(descriptor)] = nil
        return value
    }

    /// Gives up the room above the highest descriptor, once it is more than three quarters.
    mutating func shrink() {
        while case .some(nil) = values.last { values.removeLast() }
        values.shrink()
    }
}
