// Objects whose content can be discarded while no code uses it, in a cache in the shape of NSCache.
import ObjectCache

struct NoSuchPage: Error {}
func render(_ number: Int) throws -> [UInt8] { [UInt8](repeating: 0, count: 4096) }
func draw(_ page: [UInt8]) {}

let drawings = Cache<Int, DiscardableObject<[UInt8]>>()

func store(_ bytes: [UInt8], as number: Int) {
    let drawing = DiscardableObject(bytes)  // its creation begins the first access
    drawings.setObject(drawing, forKey: number, cost: bytes.count)
    drawing.endContentAccess()
}

func show(_ number: Int) {
    if let drawing = drawings.object(forKey: number), drawing.beginContentAccess(), let bytes = drawing.content {
        defer { drawing.endContentAccess() }
        draw(bytes)
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

store(try render(7), as: 7)
show(7)
