internal import CLinux

/// Memory of a cache's own, apart from the allocator's heap, which its table and entries would fragment.
enum Pages {
    /// How much is given back with one system call, which holds the lock on the process's mappings meanwhile: well below
    /// a tenth of a millisecond.
    static let step = 1 << 20

    /// Zeroes, which take memory when they are touched.
    static func map(_ bytes: Int) -> UnsafeMutableRawPointer {
        let base = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let base, base != MAP_FAILED else {
            // As with any allocation in Swift: there is no way on.
            fatalError("mmap of \(bytes) bytes for a cache failed with errno \(errno)")
        }
        return base
    }

    static func unmap(_ base: UnsafeMutableRawPointer, _ bytes: Int) {
        var base = base
        var rest = bytes
        while rest > 0 {
            let part = min(rest, step)
            munmap(base, part)
            base += part
            rest -= part
        }
    }

    /// Gives the memory back and keeps the addresses, which read as zero then; `false` if the kernel's pages are larger.
    static func discard(_ base: UnsafeMutableRawPointer, _ bytes: Int) -> Bool {
        madvise(base, bytes, MADV_DONTNEED) == 0
    }
}
