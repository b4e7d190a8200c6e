// Bytes outside of the allocator's heap.
import ResourceManager

struct Unreadable: Error {}
func decode(_ file: String, into bytes: inout MutableRawSpan) throws {
    guard bytes.byteCount > 0 else { throw Unreadable() }
    bytes.storeBytes(of: 1, toByteOffset: 0, as: UInt8.self)
}
func draw(_ bytes: RawSpan) {}

func hold(_ file: String, _ size: Int, as number: Int, in pages: ResourceCache<Int, CacheBuffer>) throws {
    let page = try CacheBuffer(count: size) { bytes in try decode(file, into: &bytes) }
    pages.insert(page, for: number, cost: page.allocatedCount)
}

func offer(_ file: String, _ size: Int) throws {
    let page = try PurgeableData(count: size) { bytes in try decode(file, into: &bytes) }
    page.endContentAccess()
    // Later, on any thread:
    if page.beginContentAccess() {
        defer { page.endContentAccess() }
        page.withBytes { draw($0) }
    }
}
