package import MemoryPressure

/// The effective capabilities of this process; capabilities(7).
package enum Capabilities {
    /// To lock any amount of memory: `CAP_IPC_LOCK`.
    package static let lockMemory = 14

    /// One bit each; `nil` if they are unknown.
    package static func effective(in kernel: KernelTree = .live) -> UInt64? {
        let text = try? KernelFile.text(of: kernel.status)
        let line = text?.split(separator: "\n").first { $0.hasPrefix("CapEff:") }
        return line?.split { " \t".contains($0) }.last.flatMap { UInt64($0, radix: 16) }
    }

    /// Whether a capability is among them; `false` if they are unknown.
    package static func have(_ capability: Int, in bits: UInt64?) -> Bool {
        bits.map { $0 >> UInt64(capability) & 1 == 1 } ?? false
    }
}
