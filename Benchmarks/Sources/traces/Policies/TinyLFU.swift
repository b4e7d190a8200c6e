/// W-TinyLFU (ACM TOS 2017) with Caffeine's hill climber: all items enter a window.
///
/// Behind it a segmented LRU admits an item only if it was requested more often than the item that would leave.
///
/// Frequencies are counted exactly, whereas Caffeine approximates them with a sketch.
struct TinyLFU: ResizablePolicy {
    private static let window: UInt8 = 1
    private static let probation: UInt8 = 2
    private static let protected: UInt8 = 3

    private var size: Int
    private var windowSize: Int
    private var protectedSize: Int { (size - windowSize) * 8 / 10 }
    private var queues: Queues
    /// The counts, up to 15 each.
    ///
    /// They are halved when `10 * size` requests have been counted.
    private var frequency: [UInt8]
    private var counted = 0
    private var climber: HillClimber

    init(size: Int, uniqueCount: Int) {
        self.size = size
        windowSize = max(1, size / 100)
        queues = Queues(3, uniqueCount: uniqueCount)
        frequency = Array(repeating: 0, count: uniqueCount)
        climber = HillClimber(size: size)
    }

    mutating func access(_ id: UInt32) -> Bool {
        count(id)
        let place = queues[id]
        if let step = climber.step(afterHit: place != 0) {
            windowSize = min(max(1, windowSize + step), max(1, size - 1))
            balance()
        }
        switch queues[id] {
        case Self.window:
            queues.push(id, to: Self.window)
        case Self.probation, Self.protected:
            queues.push(id, to: Self.protected)
            demote()
        default:
            queues.push(id, to: Self.window)
            balance()
        }
        return place != 0
    }

    mutating func resize(to size: Int) {
        windowSize = min(max(1, windowSize * size / self.size), max(1, size - 1))
        self.size = size
        climber = HillClimber(size: size)
        while all > size, let id = queues.oldest(Self.probation) ?? queues.oldest(Self.protected) { queues.remove(id) }
        while all > size { queues.popOldest(Self.window) }
        balance()
    }

    private var all: Int { queues.count(Self.window) + queues.count(Self.probation) + queues.count(Self.protected) }

    private mutating func count(_ id: UInt32) {
        guard frequency[Int(id)] < 15 else { return }
        frequency[Int(id)] += 1
        counted += 1
        guard counted >= 10 * size else { return }
        for index in frequency.indices { frequency[index] /= 2 }
        counted /= 2
    }

    /// Gives each queue its share; a window that has grown takes items back from probation.
    private mutating func balance() {
        demote()
        while queues.count(Self.window) > windowSize, let candidate = queues.oldest(Self.window) {
            queues.push(candidate, to: Self.probation)
            guard all > size, let victim = queues.oldest(Self.probation) else { continue }
            let isAdmitted = frequency[Int(candidate)] > frequency[Int(victim)]
            queues.remove(isAdmitted ? victim : candidate)
        }
        while queues.count(Self.probation) + queues.count(Self.protected) > size - windowSize,
            let id = queues.oldest(Self.probation) ?? queues.oldest(Self.protected)
        {
            queues.push(id, to: Self.window)
        }
    }

    private mutating func demote() {
        while queues.count(Self.protected) > protectedSize, let id = queues.oldest(Self.protected) {
            queues.push(id, to: Self.probation)
        }
    }
}

/// Changes the window's size in one direction while that brings more hits, and reverses when it brings fewer.
private struct HillClimber {
    private let size: Int
    private var requests = 0
    private var hits = 0
    private var lastRate = 0.0
    private var stepSize: Double

    init(size: Int) {
        self.size = size
        // The first step is downwards, which has no effect on a window of 1 %. That gives this window the time of one sample.
        stepSize = -0.0625 * Double(size)
    }

    /// The change of the window's size, at the end of each sample of `10 * size` requests.
    mutating func step(afterHit isHit: Bool) -> Int? {
        requests += 1
        hits += isHit ? 1 : 0
        guard requests >= 10 * size else { return nil }
        let rate = Double(hits) / Double(requests)
        let change = rate - lastRate
        let step = change >= 0 ? stepSize : -stepSize
        // After a change of the load the steps are large again; otherwise they become smaller.
        stepSize = abs(change) >= 0.05 ? 0.0625 * Double(size) * (step >= 0 ? 1 : -1) : step * 0.98
        lastRate = rate
        (requests, hits) = (0, 0)
        return Int(step)
    }
}
