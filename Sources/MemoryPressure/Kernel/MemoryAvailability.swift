internal import CLinux

/// How much memory the host has, and how much of it can be allocated without swapping: `MemTotal` and `MemAvailable`.
package struct MemoryAvailability: Hashable, Sendable {
    /// All usable memory, in bytes.
    package var total: UInt64
    /// The kernel's estimate of the bytes that a new program could allocate without swapping.
    package var available: UInt64

    /// The available share of the memory.
    package var headroom: Share { Share(available, of: total) }

    package init(total: UInt64, available: UInt64) {
        self.total = total
        self.available = available
    }

    /// Reads the text of `/proc/meminfo`, or returns `nil` if one of the two lines is missing or has no number.
    ///
    /// Stops after the second of them; both are among the first lines. Nothing is allocated.
    package init?(parsing bytes: UnsafeRawBufferPointer) {
        var total: UInt64?
        var available: UInt64?
        var rest = bytes[...]
        while total == nil || available == nil, let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let name = line[..<colon]
            if name.elementsEqual("MemTotal".utf8) {
                guard let value = Self.size(line[(colon + 1)...]) else { return nil }
                total = value
            } else if name.elementsEqual("MemAvailable".utf8) {
                guard let value = Self.size(line[(colon + 1)...]) else { return nil }
                available = value
            }
        }
        guard let total, let available else { return nil }
        self.init(total: total, available: available)
    }

    /// A number of kibibytes, such as `   16384 kB`, in bytes.
    private static func size(_ value: Slice<UnsafeRawBufferPointer>) -> UInt64? {
        let number = value.drop { $0 == UInt8(ascii: " ") }
        guard let blank = number.firstIndex(of: UInt8(ascii: " ")), number[blank...].elementsEqual(" kB".utf8),
            let kibibytes = UInt64(decimal: number[..<blank])
        else { return nil }
        let (bytes, overflow) = kibibytes.multipliedReportingOverflow(by: 1024)
        return overflow ? nil : bytes
    }

    /// Reads the host's figures.
    ///
    /// - Throws: ``KernelError``; `EBADMSG` stands for a text that does not conform to proc(5).
    package static func read(
        in tree: KernelTree = .live,
        from files: OpenFiles = OpenFiles()
    ) throws(KernelError) -> Self {
        try files.whole(tree.meminfo) { Self(parsing: $0) }
    }
}
