/// The 32 bits by which a cache finds a key.
extension ResourceCache {
    /// The hash of a key; equal keys have equal ones.
    ///
    /// Integers are mixed by one multiplication, a third of what `Hasher` takes for them. `Hasher` does all others.
    @inlinable @inline(__always)
    func hash(of key: Key) -> UInt32 {
        if Key.self == Int.self { return mix(UInt64(bitPattern: Int64(unsafeBitCast(key, to: Int.self)))) }
        if Key.self == UInt64.self { return mix(unsafeBitCast(key, to: UInt64.self)) }
        if Key.self == UInt32.self { return mix(UInt64(unsafeBitCast(key, to: UInt32.self))) }
        return UInt32(truncatingIfNeeded: key.hashValue &>> 32)
    }

    /// Both halves of a product with an odd number that has bits everywhere, folded.
    @inlinable @inline(__always)
    func mix(_ value: UInt64) -> UInt32 {
        let product = (value ^ view.pointee.seed).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        let folded = product.high ^ product.low
        return UInt32(truncatingIfNeeded: folded &>> 32) ^ UInt32(truncatingIfNeeded: folded)
    }
}
