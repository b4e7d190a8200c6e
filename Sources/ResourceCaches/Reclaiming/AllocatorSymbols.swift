internal import CLinux

/// The functions that identify allocators, and the proof that one of them is behind malloc(3).
struct AllocatorSymbols {
    /// Finds a function by its name.
    var find: (String) -> UnsafeMutableRawPointer? = { allocator_symbol($0) }
    /// The program or library that contains a function; `nil` if it is unknown.
    var object: (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { allocator_object($0) }

    /// Frees and decommits the free pages of the calling thread; memory of other threads is out of reach.
    var mimalloc: Allocator? {
        guard let owns = function("mi_is_in_heap_region", as: (@convention(c) (UnsafeRawPointer) -> Bool).self),
            let collect = function("mi_collect", as: (@convention(c) (Bool) -> Void).self),
            Self.withBlock(owns)
        else { return nil }
        // Not forced: a forced collection also returns the pages, which takes 0.1 ms per MiB and can be done on any
        // thread.
        return Allocator(
            .mimalloc,
            collect: { collect(false) },
            delay: delay,
            // On a thread that has never allocated a block, which has no heap, the call would do nothing.
            purge: { Self.withBlock { _ in collect(true) } }
        )
    }

    private var delay: PurgeDelay? {
        guard let read = function("mi_option_get", as: (@convention(c) (CInt) -> Int).self),
            let write = function("mi_option_set", as: (@convention(c) (CInt, Int) -> Void).self)
        else { return nil }
        // mi_option_decommit_delay, which is mi_option_purge_delay from version 2.1 on.
        return PurgeDelay(read: { read(15) }, write: { write(15, $0) })
    }

    var jemalloc: Allocator? {
        guard let control = function("mallctl", as: Control.self) else { return nil }
        // The count of bytes that this thread has allocated, so that other threads' blocks do not matter.
        func allocated() -> UInt64? {
            var bytes: UInt64 = 0
            var size = MemoryLayout.size(ofValue: bytes)
            return control("thread.allocated", &bytes, &size, nil, 0) == 0 ? bytes : nil
        }
        guard let before = allocated(), let after = Self.withBlock({ _ in allocated() }),
            after &- before >= Self.blockSize
        else { return nil }
        // All arenas (MALLCTL_ARENAS_ALL). The calling thread's own cache goes back to them first.
        return Allocator(.jemalloc) {
            _ = control("thread.tcache.flush", nil, nil, nil, 0)
            _ = control("arena.4096.purge", nil, nil, nil, 0)
        }
    }

    /// The allocator of gperftools.
    var tcmalloc: Allocator? {
        guard owns("MallocExtension_GetOwnership"),
            let release = function("MallocExtension_ReleaseToSystem", as: (@convention(c) (Int) -> Void).self),
            let property = function("MallocExtension_GetNumericProperty", as: Property.self)
        else { return nil }
        // Sends the calling thread's own cache back to the page heap.
        let flush = function("MallocExtension_MarkThreadTemporarilyIdle", as: (@convention(c) () -> Void).self)
        return Allocator(.tcmalloc) {
            flush?()
            var free = 0
            guard property("tcmalloc.pageheap_free_bytes", &free) != 0 else { return }
            // Each call holds the lock of the page heap, and every thread that runs out of blocks waits for it.
            for _ in stride(from: 0, to: free, by: Self.releaseStep) { release(Self.releaseStep) }
        }
    }

    /// Google's TCMalloc, the newer allocator.
    var laterTcmalloc: Allocator? {
        guard owns("MallocExtension_Internal_GetOwnership"),
            let release = function(
                "MallocExtension_Internal_ReleaseMemoryToSystem",
                as: (@convention(c) (Int) -> Int).self
            )
        else { return nil }
        return Allocator(.tcmalloc) { _ = release(.max) }
    }

    /// Its functions cannot tell which allocator owns a block: `malloc_trim` has to be in the same object as `malloc`.
    var glibc: Allocator? {
        guard let address = find("malloc_trim"), let malloc = find("malloc"), object(address) == object(malloc)
        else { return nil }
        let trim = Self.cast(address, as: (@convention(c) (Int) -> CInt).self)
        return Allocator(.glibc) { _ = trim(0) }
    }

    private typealias Control =
        @convention(c) (
            _ name: UnsafePointer<CChar>, _ old: UnsafeMutableRawPointer?, _ oldSize: UnsafeMutablePointer<Int>?,
            _ new: UnsafeMutableRawPointer?, _ newSize: Int
        ) -> CInt
    private typealias Property = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Int>) -> CInt

    /// This is 0.1 ms of work for the kernel.
    private static let releaseStep = 1 << 20
    /// Small enough that it comes from the allocator's own pages, not from a mapping.
    private static let blockSize = 4_096

    /// The answers of both tcmallocs: 0 unknown, 1 owned, 2 not owned.
    private func owns(_ name: String) -> Bool {
        guard let ownership = function(name, as: (@convention(c) (UnsafeRawPointer) -> CInt).self) else { return false }
        return Self.withBlock { ownership($0) == 1 }
    }

    /// Calls `body` with a block from malloc(3).
    private static func withBlock<Result>(_ body: (UnsafeRawPointer) -> Result) -> Result {
        // The runtime's function calls malloc for blocks of usual alignment, and no optimizer leaves it out.
        let block = UnsafeMutableRawPointer.allocate(byteCount: blockSize, alignment: 16)
        defer { block.deallocate() }
        return body(block)
    }

    private func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        find(name).map { Self.cast($0, as: type) }
    }

    /// The allocators' headers declare the functions with these types; a wrong type would be undefined behaviour.
    private static func cast<Function>(_ address: UnsafeMutableRawPointer, as type: Function.Type) -> Function {
        unsafeBitCast(address, to: type)
    }
}
