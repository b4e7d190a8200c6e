// Bytes outside of the allocator's heap.
import ResourceManager

struct Unreadable: Error {}
func decode(_ file: String, into bytes: inout MutableRawSpan) throws {
    guard bytes.byteCount > 0 else { throw Unreadable() }
    bytes.storeBytes(of: 1, toByteOffset: 0, as: UInt8.self)
}
func draw(_ bytes: RawSpan) {}
func fetch(_ name: String) async throws -> [UInt8] { [1] }

func hold(_ file: String, _ size: Int, as number: Int, in pages: ResourceCache<Int, CacheBuffer>) throws {
    let page = try CacheBuffer(count: size) { bytes in try decode(file, into: &bytes) }
    pages.insert(page, for: number, cost: page.allocatedCount)
}

// Whole files.
let files = ResourceCache<String, CacheBuffer>("files", limit: 256 << 20)

func store(_ bytes: [UInt8], as name: String) throws(CacheBufferError) {
    let buffer = try CacheBuffer(copying: bytes.span.bytes)
    files.insert(buffer, for: name, cost: buffer.allocatedCount)
}

func drawFile(_ name: String) {
    files.value(for: name)?.withBytes { bytes in draw(bytes) }
}

func copy(of name: String) -> [UInt8]? {
    files.value(for: name)?.withBytes { bytes in bytes.withUnsafeBytes { Array($0) } }
}

func fetchAndStore(_ name: String) async throws {
    let bytes = try await fetch(name)
    let buffer = try CacheBuffer(copying: bytes.span.bytes)
    files.insert(buffer, for: name, cost: buffer.allocatedCount)
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
