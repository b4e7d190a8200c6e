internal import Glibc

/// How much memory the host has, and how much of it could be had without swapping: `MemTotal` and `MemAvailable`.
package struct MemoryAvailability: Hashable, Sendable {
    /// All usable memory, in bytes.
    package var total: UInt64
    /// The kernel's estimate of what a new program could get without swapping, in bytes.
    package var available: UInt64

    /// What part of the memory is available.
    package var headroom: Share { Share(available, of: total) }

    package init(total: UInt64, available: UInt64) {
        self.total = total
        self.available = available
    }

    /// Reads the text of `/proc/meminfo`, or returns `nil` if one of the two lines is missing or no number.
    package init?(parsing text: String) {
        var total: UInt64?
        var available: UInt64?
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            guard words.count == 3, words[2] == "kB", let kibibytes = UInt64(words[1]) else { continue }
            let (bytes, overflow) = kibibytes.multipliedReportingOverflow(by: 1024)
            guard !overflow else { return nil }
            switch words[0] {
            case "MemTotal:": total = bytes
            case "MemAvailable:": available = bytes
            default: continue
            }
        }
        guard let total, let available else { return nil }
        self.init(total: total, available: available)
    }

    /// Reads the host's figures.
    ///
    /// - Throws: ``KernelError``; `EBADMSG` stands for a text that is not what proc(5) says.
    package static func read(in tree: KernelTree = .live) throws(KernelError) -> Self {
        let text = try KernelFile.text(of: tree.meminfo)
        guard let figures = Self(parsing: text) else { throw KernelError("understand", tree.meminfo, errno: EBADMSG) }
        return figures
    }
}
