// Objects whose content can be discarded while no code uses it, in a cache in the shape of NSCache.
import ObjectCache

struct NoSuchPage: Error {}
func render(_ number: Int) throws -> [UInt8] { [UInt8](repeating: 0, count: 4096) }
func draw(_ page: [UInt8]?) {}

let pages = Cache<Int, DiscardableObject<[UInt8]>>()
let size = 4096

func show() throws {
    let page = DiscardableObject(try render(7))
    pages.setObject(page, forKey: 7, cost: size)
    page.endContentAccess()
    // Later, on any thread:
    if let page = pages.object(forKey: 7), page.beginContentAccess() {
        defer { page.endContentAccess() }
        draw(page.content)
    }
}

/// Any class can have discardable content; this one has another object count its accesses.
final class Page: DiscardableContent {
    private let bytes: DiscardableObject<[UInt8]>

    init(_ bytes: [UInt8]) {
        self.bytes = DiscardableObject(bytes, faultHandler: { (fault: ContentFault) in print(fault.advice) })
        self.bytes.endContentAccess()
    }

    func beginContentAccess() -> Bool { bytes.beginContentAccess() }
    func endContentAccess() { bytes.endContentAccess() }
    func discardContentIfPossible() { bytes.discardContentIfPossible() }
    var isContentDiscarded: Bool { bytes.isContentDiscarded }
    var isContentBeingAccessed: Bool { bytes.isContentBeingAccessed }
}

try show()
