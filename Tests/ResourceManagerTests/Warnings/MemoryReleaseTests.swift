import ResourceManager
import TestSupport
import Testing

/// Holds real memory in pieces too small for malloc to map individually, with other allocations between them.
///
/// Freeing the pieces returns nothing to the kernel unless the allocator is trimmed.
private final class HeavyView: View {
    private static let pieceSize = 100 << 10
    private var pieces: [UnsafeMutableRawPointer] = []

    init(bytes: Int, keepers: inout [UnsafeMutableRawPointer]) {
        super.init()
        for index in 0..<bytes / Self.pieceSize {
            let piece = UnsafeMutableRawPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
            piece.initializeMemory(as: UInt8.self, repeating: 1, count: Self.pieceSize)
            pieces.append(piece)
            if index % 16 == 0 { keepers.append(.allocate(byteCount: 64, alignment: 16)) }
        }
        cost = pieces.count * Self.pieceSize
    }

    deinit {
        for piece in pieces { piece.deallocate() }
    }
}

private final class HeavyController: ViewController {
    private var keepers: [UnsafeMutableRawPointer] = []

    override func loadView() {
        view = HeavyView(bytes: 64 << 20, keepers: &keepers)
    }
}

struct MemoryReleaseTests {
    @Test("the released bytes are the fall of the resident set, and never negative")
    func residentFreed() {
        let shrunk = MemoryRelease(released: 0, residentBefore: 10, residentAfter: 4, duration: .zero)
        let grown = MemoryRelease(released: 0, residentBefore: 4, residentAfter: 10, duration: .zero)
        #expect(shrunk.residentFreed == 6)
        #expect(grown.residentFreed == 0)
    }

    // Runs in its own process, in which no other test allocates.
    @Test(
        "the memory of an unloaded view returns to the kernel, at least 95 % of its counted bytes",
        .disabled(if: isUnderThreadSanitizer, "the thread sanitizer's allocator keeps freed memory")
    )
    func goesBackToTheKernel() async {
        await #expect(processExitsWith: .success) {
            let host = ControllerHost("heavy")
            let controller = HeavyController(host: host)
            host.simulateMemoryWarning()
            controller.loadViewIfNeeded()
            let release = host.simulateMemoryWarning()
            #expect(release.released > 63 << 20)
            #expect(Double(release.residentFreed) >= Double(release.released) * 0.95, "\(release)")
            #expect(!controller.isViewLoaded)
        }
    }
}
