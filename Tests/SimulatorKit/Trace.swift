/// The trace of a run: a hash of all inputs and outputs of the daemon and the hosts, and the text on request.
package struct Trace: Sendable {
    package private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    package private(set) var lines: [String] = []
    package let isWhole: Bool

    package init(isWhole: Bool) {
        self.isWhole = isWhole
    }

    /// Adds numbers to the hash.
    mutating func mix(_ number: UInt64) {
        hash ^= number
        hash = hash &* 0x9FB2_1C65_1E98_DF25
        hash ^= hash >> 28
    }

    mutating func mix(_ a: UInt64, _ b: UInt64, _ c: UInt64 = 0, _ d: UInt64 = 0, _ e: UInt64 = 0, _ f: UInt64 = 0) {
        mix(a)
        mix(b)
        mix(c)
        mix(d)
        mix(e)
        mix(f)
    }

    mutating func mix(_ text: String) {
        for byte in text.utf8 { mix(UInt64(byte)) }
    }

    /// Adds a line if the text is wanted.
    mutating func note(_ now: UInt64, _ line: @autoclosure () -> String) {
        guard isWhole else { return }
        let micros = now / 1_000
        let fraction = "\(1_000_000 + micros % 1_000_000)".dropFirst()
        lines.append("\(micros / 1_000_000).\(fraction) \(line())")
    }
}
