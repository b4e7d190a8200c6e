/// What is behind malloc(3) in a host, which decides how much of what it frees returns to the kernel.
package enum HostAllocator: UInt8, CaseIterable, Sendable {
    /// The host does not say; or one that is not known yet.
    case unstated = 0
    /// One that the host cannot ask to return memory.
    case other = 1
    /// That of the GNU C library.
    case glibc = 2
    /// jemalloc, with its functions under their usual names.
    case jemalloc = 3
    /// mimalloc, which returns nothing that other threads have taken and do not collect.
    case mimalloc = 4
    /// That of gperftools or that of Google.
    case tcmalloc = 5
}
