// Observing a cache: its figures, removals and their reasons, pins, and failed loads.
import ResourceManager

struct Image: Sendable {
    var bytes: [UInt8]
}

func decode(_ name: String) async throws -> Image { Image(bytes: [UInt8](repeating: 0, count: 4096)) }
func report(_ line: String) { print(line) }

func makeImages() -> ResourceCache<String, Image> {
    var options = ResourceCache<String, Image>.Options()
    options.weigher = { _, image in image.bytes.count }
    options.onRemoval = { (removals: [CacheRemoval<String, Image>]) in
        let left = removals.filter { $0.reason == RemovalReason.pressure }
        if !left.isEmpty { report("\(left.reduce(0) { $0 + $1.cost }) bytes left as memory was short") }
    }
    return ResourceCache("images", limit: 64 << 20, options: options)
}

let images = makeImages()

func line(about statistics: CacheStatistics) -> String {
    """
    \(statistics.count) images of \(statistics.cost) bytes, \(statistics.hitRatio * 100) % hits, \
    \(statistics.pressureRemovals) left as memory was short, \(statistics.regrets) of all that left were wanted again
    """
}

func line(about pin: ResourceCache<String, Image>.PinDescription) -> String {
    "\(pin.key) stays for \(pin.owner)" + (pin.remaining.map { " for \($0)" } ?? "")
}

func advice(on name: String) -> String {
    let status: CacheStatus = images.status(of: name)
    return switch status {
    case .present: "it is there"
    case .evicted: "it was there: the limit is too low, or memory is short"
    case .absent: "it was not loaded lately, or is larger than the limit: see refusals"
    }
}

// Room for an image whose size is known before it is decoded.
func store(_ name: String, size: Int) async throws -> Bool {
    let room: CacheReservation = images.reserve(cost: size)
    guard room.cost > 0 || size == 0 else { return false }
    let image = try await decode(name)
    _ = consume room
    images.insert(image, for: name)
    return true
}

func load(_ name: String) async throws -> Image? {
    do {
        return try await images.load(name) { name in try await decode(name) }
    } catch CacheLoadError.circular {
        report("the loader of \(name) asks for \(name)")
        return nil
    }
}

_ = try await load("logo")
print(line(about: images.statistics), images.pins.map(line(about:)), advice(on: "logo"))
