import CLinux
import Testing

@testable import ResourceCaches

struct PagesTests {
    @Test("memory returns also if the process has the maximum number of mappings, so that its addresses stay")
    func unmapsWithoutMappings() async {
        // A process of its own, since it can hardly allocate any more afterwards.
        await #expect(processExitsWith: .success) {
            let (page, part, most) = (4096, 1 << 20, 1 << 21)
            let base = Pages.map(3 * part)
            memset(base, 1, 3 * part)
            // Each change of the protection from an address on splits the last mapping, until the kernel refuses.
            let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
            guard let area = mmap(nil, most * page, PROT_NONE, flags, -1, 0), area != MAP_FAILED else { exit(1) }
            var split = 1
            while split < most,
                mprotect(area + split * page, (most - split) * page, split % 2 == 0 ? PROT_NONE : PROT_READ) == 0
            {
                split += 1
            }
            guard split < most else { exit(2) }
            Pages.unmap(base + part, part)
            guard base.load(fromByteOffset: part, as: UInt8.self) == 0 else { exit(3) }
            exit(base.load(as: UInt8.self) == 1 ? 0 : 4)
        }
    }
}
