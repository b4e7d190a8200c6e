internal import CLinux

/// The kernel's file with the size of the process's resident set, kept open.
///
/// A reading is one system call and allocates nothing. Opening a file takes kernel memory, for which a process in a
/// cgroup at its limit may have to wait. After a fork the file still describes the parent.
package struct ResidentSetFile: ~Copyable, Sendable {
    private let descriptor: CInt

    /// Opens it; without `/proc`, or without descriptors left, the size cannot be read.
    package init() {
        descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The resident set in bytes, or 0 if it cannot be read.
    package var bytes: UInt64 {
        // Seven numbers of at most twenty digits.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 160) { buffer in
            let length = pread(descriptor, buffer.baseAddress, buffer.count, 0)
            guard length > 0 else { return 0 }
            return Self.pages(statm: buffer[..<length]) * UInt64(sysconf(CInt(_SC_PAGESIZE)))
        }
    }

    /// The second number of a statm line; 0 if there is none.
    static func pages(statm: some Sequence<UInt8>) -> UInt64 {
        var field = 0
        var pages: UInt64 = 0
        for byte in statm {
            if byte == UInt8(ascii: " ") {
                field += 1
                if field == 2 { break }
            } else if field == 1 {
                guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return 0 }
                pages = pages &* 10 &+ UInt64(byte - UInt8(ascii: "0"))
            }
        }
        return pages
    }
}
