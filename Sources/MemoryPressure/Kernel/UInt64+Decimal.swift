extension UInt64 {
    /// Reads a whole slice of bytes as a decimal number; `nil` if it is not one, or is too large.
    ///
    /// Nothing is allocated.
    init?(decimal bytes: Slice<UnsafeRawBufferPointer>) {
        guard !bytes.isEmpty else { return nil }
        self = 0
        for byte in bytes {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            let (product, productOverflow) = multipliedReportingOverflow(by: 10)
            let (sum, sumOverflow) = product.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
            guard !productOverflow, !sumOverflow else { return nil }
            self = sum
        }
    }
}
