import CLinux
import Testing

@testable import ResourceCaches

/// The calls of the functions below.
///
/// The tests run one at a time.
private let calls = Guarded<[String]>([])

private func note(_ call: String) { calls.withLock { $0.append(call) } }

/// Stand-ins for the functions of allocators that these tests need.
private enum Fake {
    static let owns: @convention(c) (UnsafeRawPointer) -> Bool = { _ in true }
    static let ownsNot: @convention(c) (UnsafeRawPointer) -> Bool = { _ in false }
    static let collect: @convention(c) (Bool) -> Void = { note($0 ? "collect by force" : "collect") }

    static let owned: @convention(c) (UnsafeRawPointer) -> CInt = { _ in 1 }
    static let notOwned: @convention(c) (UnsafeRawPointer) -> CInt = { _ in 2 }
    static let release: @convention(c) (Int) -> Void = { note("release \($0 >> 20)") }
    static let releaseAll: @convention(c) (Int) -> Int = {
        note("release \($0 == .max ? "all" : "some")")
        return 0
    }
    static let flush: @convention(c) () -> Void = { note("flush") }
    static let free: @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Int>) -> CInt = { name, value in
        value.pointee = 5 << 19
        return String(cString: name) == "tcmalloc.pageheap_free_bytes" ? 1 : 0
    }

    typealias Control =
        @convention(c) (
            UnsafePointer<CChar>, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>?, UnsafeMutableRawPointer?, Int
        ) -> CInt
    /// At each call the thread has allocated 4096 more bytes.
    static let control: Control = { name, old, _, _, _ in
        if let old {
            note("?")
            old.storeBytes(of: UInt64(calls.withLock { $0.count }) * 4_096, as: UInt64.self)
        } else {
            note(String(cString: name))
        }
        return 0
    }
    /// A private allocator: memory from malloc does not change its count.
    static let privateControl: Control = { _, old, _, _, _ in
        old?.storeBytes(of: 77, as: UInt64.self)
        return 0
    }

    static let trim: @convention(c) (Int) -> CInt = {
        note("trim \($0)")
        return 1
    }

    // Functions have the same type as results of dlsym(3).
    static func address<Function>(_ function: Function) -> UnsafeMutableRawPointer {
        unsafeBitCast(function, to: UnsafeMutableRawPointer.self)
    }
}

@Suite(.serialized)
struct AllocatorTests {
    /// Functions by name.
    ///
    /// All are in one library, except `strangers`.
    private func symbols(
        _ functions: [String: UnsafeMutableRawPointer],
        strangers: Set<UnsafeMutableRawPointer> = []
    ) -> AllocatorSymbols {
        let library = Fake.address(Fake.trim)
        return AllocatorSymbols(find: { functions[$0] }, object: { strangers.contains($0) ? $0 : library })
    }

    /// The calls that a trim, and then a thread's own collection, make to the allocator.
    private func asked(by allocator: Allocator) -> [String] {
        calls.withLock { $0 = [] }
        allocator.trim()
        allocator.collectOwn()
        return calls.withLock { $0 }
    }

    private static var glibc: [String: UnsafeMutableRawPointer] {
        ["malloc": Fake.address(Fake.owns), "malloc_trim": Fake.address(Fake.trim)]
    }
    private static var mimalloc: [String: UnsafeMutableRawPointer] {
        ["mi_is_in_heap_region": Fake.address(Fake.owns), "mi_collect": Fake.address(Fake.collect)]
    }

    @Test("with glibc, a trim returns all free memory of the process")
    func glibc() {
        let allocator = Allocator(symbols(Self.glibc))
        #expect(allocator.kind == .glibc)
        #expect(asked(by: allocator) == ["trim 0"])
    }

    @Test("if malloc comes from another library than malloc_trim, the allocator is not glibc, and nothing is done")
    func preloaded() {
        let allocator = Allocator(symbols(Self.glibc, strangers: [Fake.address(Fake.owns)]))
        #expect(allocator.kind == .other)
        #expect(asked(by: allocator).isEmpty)
    }

    @Test("a C library without these functions is another allocator")
    func unknown() {
        #expect(Allocator(symbols(["malloc": Fake.address(Fake.owns)])).kind == .other)
        #expect(Allocator(symbols([:])).kind == .other)
    }

    @Test("jemalloc, whose count grows by a block from malloc, purges all arenas")
    func jemalloc() {
        let allocator = Allocator(symbols(Self.glibc.merging(["mallctl": Fake.address(Fake.control)]) { $1 }))
        #expect(allocator.kind == .jemalloc)
        #expect(asked(by: allocator) == ["thread.tcache.flush", "arena.4096.purge"])
    }

    @Test("mimalloc collects in each thread, and returns memory by force")
    func mimalloc() {
        let allocator = Allocator(symbols(Self.glibc.merging(Self.mimalloc) { $1 }))
        #expect(allocator.kind == .mimalloc)
        #expect(asked(by: allocator) == ["collect by force", "collect"])
    }

    @Test("tcmalloc returns its free memory, in steps, after that of the thread's own cache")
    func tcmalloc() {
        let functions = [
            "MallocExtension_GetOwnership": Fake.address(Fake.owned),
            "MallocExtension_ReleaseToSystem": Fake.address(Fake.release),
            "MallocExtension_GetNumericProperty": Fake.address(Fake.free),
        ]
        let flush = ["MallocExtension_MarkThreadTemporarilyIdle": Fake.address(Fake.flush)]
        let allocator = Allocator(symbols(functions.merging(flush) { $1 }))
        #expect(allocator.kind == .tcmalloc)
        #expect(asked(by: allocator) == ["flush", "release 1", "release 1", "release 1"])
        #expect(asked(by: Allocator(symbols(functions))) == ["release 1", "release 1", "release 1"])
    }

    @Test("the newer tcmalloc returns everything at once")
    func laterTcmalloc() {
        let allocator = Allocator(
            symbols([
                "MallocExtension_Internal_GetOwnership": Fake.address(Fake.owned),
                "MallocExtension_Internal_ReleaseMemoryToSystem": Fake.address(Fake.releaseAll),
            ])
        )
        #expect(allocator.kind == .tcmalloc)
        #expect(asked(by: allocator) == ["release all"])
    }

    @Test("an allocator that a library uses privately is not the one behind malloc")
    func privateAllocators() {
        let others = [
            "mallctl": Fake.address(Fake.privateControl), "mi_is_in_heap_region": Fake.address(Fake.ownsNot),
            "mi_collect": Fake.address(Fake.collect), "MallocExtension_GetOwnership": Fake.address(Fake.notOwned),
            "MallocExtension_ReleaseToSystem": Fake.address(Fake.release),
            "MallocExtension_GetNumericProperty": Fake.address(Fake.free),
        ]
        #expect(Allocator(symbols(Self.glibc.merging(others) { $1 })).kind == .glibc)
    }

    @Test("freed memory counts as released, unless threads keep pages: then the fall of resident memory counts")
    func claims() {
        let glibc = Allocator(symbols(Self.glibc))
        let mimalloc = Allocator(symbols(Self.mimalloc))
        #expect(glibc.claim(100, residentBefore: 500, after: 470) == 100)
        #expect(mimalloc.claim(100, residentBefore: 500, after: 470) == 30)
        #expect(mimalloc.claim(100, residentBefore: 500, after: 100) == 100)
        #expect(mimalloc.claim(100, residentBefore: 500, after: 520) == 0)
    }

    @Test("pages return without delay until the last caller has finished, then with the previous delay")
    func delay() {
        let milliseconds = Guarded(25)
        let delay = PurgeDelay(
            read: { milliseconds.withLock { $0 } },
            write: { new in milliseconds.withLock { $0 = new } }
        )
        var seen: [Int] = []
        for step in [delay.suspend, delay.suspend, delay.resume, delay.resume] {
            step()
            seen.append(milliseconds.withLock { $0 })
        }
        #expect(seen == [0, 0, 0, 25])
    }

    @Test("a delay that the program sets meanwhile stays, and so do the values -1 and 0", arguments: [-1, 0])
    func programsDelay(delayBefore: Int) {
        let milliseconds = Guarded(delayBefore)
        let delay = PurgeDelay(
            read: { milliseconds.withLock { $0 } },
            write: { new in milliseconds.withLock { $0 = new } }
        )
        delay.suspend()
        #expect(milliseconds.withLock { $0 } == delayBefore)
        milliseconds.withLock { $0 = 7 }
        delay.resume()
        #expect(milliseconds.withLock { $0 } == 7)
    }

    @Test("this process uses glibc's allocator")
    func own() throws {
        // The sanitizers have their own allocators.
        guard dlsym(nil, "__sanitizer_print_stack_trace") == nil else { return }
        #expect(Allocator.current.kind == .glibc)
    }
}
