/// The allocator behind malloc(3) in a host.
///
/// It decides how much of the freed memory returns to the kernel.
package enum HostAllocator: UInt8, CaseIterable, Sendable {
    /// The host does not state it, or it is unknown to this version.
    case unstated = 0
    /// An allocator that the host cannot ask to return memory.
    case other = 1
    /// The allocator of the GNU C library.
    case glibc = 2
    /// jemalloc, with its functions under their usual names.
    case jemalloc = 3
    /// mimalloc, which returns no memory that other threads allocated until these threads collect it.
    case mimalloc = 4
    /// The allocator of gperftools, or Google's TCMalloc.
    case tcmalloc = 5
}
