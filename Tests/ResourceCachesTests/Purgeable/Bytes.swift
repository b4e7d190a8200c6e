import CLinux

extension MutableRawSpan {
    /// Sets all bytes to one value.
    mutating func fill(with byte: UInt8) {
        withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            memset(start, CInt(byte), bytes.count)
        }
    }
}

extension RawSpan {
    /// The value that all bytes have; `nil` if they differ.
    var only: UInt8? {
        withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, memcmp(start, start + 1, bytes.count - 1) == 0 else { return nil }
            return bytes[0]
        }
    }

    var array: [UInt8] {
        withUnsafeBytes { Array($0) }
    }

    var address: UInt {
        withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }
}
