internal import CLinux

/// Memory mapped for a cache, separate from the allocator's heap, which its table and entries would fragment.
enum Pages {
    /// The bytes given back with one system call, which holds the lock on the process's mappings for well below a tenth
    /// of a millisecond.
    static let step = 1 << 20

    /// Maps zeroes, which take memory when they are touched.
    static func map(_ bytes: Int) -> UnsafeMutableRawPointer {
        guard let base = mapIfPossible(bytes) else {
            // As with any allocation in Swift, the process cannot continue.
            fatalError("mmap of \(bytes) bytes for a cache failed with errno \(errno)")
        }
        return base
    }

    /// As ``map(_:)``, for memory that the cache can do without; `nil` if the kernel refuses it.
    static func mapIfPossible(_ bytes: Int) -> UnsafeMutableRawPointer? {
        let base = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        return base == MAP_FAILED ? nil : base
    }

    /// Gives memory and addresses back.
    ///
    /// If the process has the maximum number of mappings, the kernel refuses to split another: the addresses stay then,
    /// without memory.
    static func unmap(_ base: UnsafeMutableRawPointer, _ bytes: Int) {
        var base = base
        var rest = bytes
        while rest > 0 {
            let part = min(rest, step)
            if munmap(base, part) != 0 { _ = discard(base, part) }
            base += part
            rest -= part
        }
    }

    /// Gives memory back and keeps the addresses, which then read as zero; `false` if the kernel's pages are larger.
    static func discard(_ base: UnsafeMutableRawPointer, _ bytes: Int) -> Bool {
        madvise(base, bytes, MADV_DONTNEED) == 0
    }
}

/// Unreferenced memory of a cache that is to be returned to the kernel.
///
/// The policy's lock guards it. munmap(2) waits until all processors have dropped the addresses, for milliseconds if a
/// hypervisor has taken a processor away; so it is called with no lock held, a piece at a time.
@usableFromInline
struct LeavingPages {
    /// A piece of it, which its owner has to unmap; may be empty.
    @usableFromInline
    struct Piece {
        @usableFromInline let base: UnsafeMutableRawPointer?
        @usableFromInline let bytes: Int

        @inlinable
        init() {
            (base, bytes) = (nil, 0)
        }

        fileprivate init(_ base: UnsafeMutableRawPointer, _ bytes: Int) {
            (self.base, self.bytes) = (base, bytes)
        }

        @inlinable var isEmpty: Bool { base == nil }

        @usableFromInline
        func unmap() {
            if let base { Pages.unmap(base, bytes) }
        }
    }

    @usableFromInline private(set) var isEmpty = true
    private var areas: [(base: UnsafeMutableRawPointer, bytes: Int)] = []

    mutating func add(_ base: UnsafeMutableRawPointer, _ bytes: Int) {
        areas.append((base, bytes))
        isEmpty = false
    }

    /// Removes a piece that can be unmapped in less than a tenth of a millisecond.
    @usableFromInline
    mutating func take() -> Piece {
        guard let area = areas.popLast() else { return Piece() }
        // From the front, so that the address of the rest is that of a page.
        let bytes = min(area.bytes, Pages.step)
        if bytes < area.bytes { areas.append((area.base + bytes, area.bytes - bytes)) }
        isEmpty = areas.isEmpty
        return Piece(area.base, bytes)
    }
}
