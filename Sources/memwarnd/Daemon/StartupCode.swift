import CLinux
import MemoryPressure

/// The code that only starting up has needed.
enum StartupCode {
    /// Lets the kernel take back every page of program code that was touched so far.
    ///
    /// Reading the command line and the configuration runs through megabytes that are never used again; what the loop
    /// needs comes back from the page cache at its first use. Before memory is locked, or the start-up's code is locked
    /// too. Only mappings that were never writable: those with relocated data could not be read again.
    static func release() {
        guard let maps = try? KernelFile.text(of: "/proc/self/maps") else { return }
        for line in maps.split(separator: "\n") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            guard fields.count == 6, fields[1] == "r-xp", fields[5].hasPrefix("/") else { continue }
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard bounds.count == 2, let start = UnsafeMutableRawPointer(bitPattern: bounds[0]) else { continue }
            madvise(start, Int(bounds[1] - bounds[0]), MADV_DONTNEED)
        }
    }
}
