import MemoryPressure
import Testing

@testable import WarningPolicy

/// Tests in virtual time which hosts are stored, and when.
struct StorePolicyTests {
    /// A policy, and its effects so far.
    private struct Bench {
        static let start = MonotonicInstant(nanoseconds: 5_000_000_000)
        var policy: StorePolicy
        var now = Self.start
        var effects: [StorePolicy.Effect] = []

        init(limit: Int = 1 << 20) {
            policy = StorePolicy(limit: limit)
        }

        mutating func feed(_ input: StorePolicy.Input) {
            policy.handle(input, at: now, into: &effects)
        }

        mutating func join(_ id: HostID, uid: UInt32 = 1_000, comesBack: Bool = true) {
            feed(.joined(Self.host(id, uid: uid), comesBack: comesBack))
        }

        /// Advances the time and handles what becomes due, at most ten thousand times.
        mutating func wait(_ duration: Duration) {
            let end = now.advanced(by: duration)
            for _ in 0..<10_000 {
                guard let due = policy.due, due <= end else { break }
                now = max(now, due)
                feed(.elapsed)
            }
            now = end
        }

        static func host(_ id: HostID, uid: UInt32 = 1_000) -> StorePolicy.Host {
            StorePolicy.Host(id: id, uid: uid, nameBytes: 10)
        }

        var stored: [HostID] {
            effects.compactMap { if case .store(let id) = $0 { id } else { nil } }
        }
    }

    @Test("a host that can reconnect by itself is stored after it has stayed for 30 seconds")
    func patience() {
        var bench = Bench()
        bench.join(1)
        #expect(bench.policy.due == Bench.start.advanced(by: .seconds(30)))
        bench.wait(.milliseconds(29_999))
        #expect(bench.effects.isEmpty)
        bench.wait(.milliseconds(1))
        #expect(bench.effects == [.store(1)])
        #expect(bench.policy.due == nil, "nothing waits")
    }

    @Test("a host that cannot reconnect is stored at once")
    func urgency() {
        var bench = Bench()
        bench.join(1, comesBack: false)
        #expect(bench.effects == [.store(1)])
        #expect(bench.policy.due == nil)
    }

    @Test("100 reconnects a second for ten minutes store nothing, and leave nothing waiting")
    func reconnects() {
        var bench = Bench()
        for id: HostID in 1...60_000 {
            bench.join(id)
            if id > 100 { bench.feed(.left(id - 100)) }
            bench.wait(.milliseconds(10))
        }
        for id: HostID in 59_901...60_000 { bench.feed(.left(id)) }
        #expect(bench.effects.isEmpty)
        #expect(bench.policy.due == nil)
    }

    @Test("20 messages are sent at once, and then ten a second, however many hosts connect and leave")
    func rate() {
        var bench = Bench()
        for id: HostID in 1...10_000 {
            bench.join(id, comesBack: false)
            bench.feed(.left(id))
        }
        #expect(bench.stored == Array(1...20))
        for id: HostID in 10_001...10_100 { bench.join(id, comesBack: false) }
        bench.wait(.milliseconds(3_050))
        #expect(bench.stored == Array(1...20) + Array(10_001...10_030))
        bench.wait(.seconds(20))
        #expect(bench.stored.last == 10_100)
        #expect(bench.policy.due == nil)
    }

    @Test("users take turns, and a user's hosts that cannot reconnect come first")
    func turns() {
        var bench = Bench()
        for id: HostID in 1...100 { bench.join(id, uid: 1) }
        for id: HostID in 101...103 { bench.join(id, uid: 2) }
        bench.wait(.seconds(30))
        #expect(bench.stored == [1, 101, 2, 102, 3, 103] + Array(4...17))
        bench.join(104, uid: 2, comesBack: false)
        bench.join(105, uid: 1, comesBack: false)
        bench.wait(.milliseconds(450))
        #expect(bench.stored[20...] == [105, 104, 18, 19])
    }

    @Test("a host that leaves before its turn is not stored")
    func early() {
        var bench = Bench()
        for id: HostID in 1...30 { bench.join(id, comesBack: false) }
        for id: HostID in 21...29 { bench.feed(.left(id)) }
        bench.wait(.seconds(1))
        #expect(bench.stored == Array(1...20) + [30])
        #expect(bench.policy.due == nil)
    }

    @Test("one user gets half of the room and all users get the whole; a host that leaves makes room")
    func room() {
        // Six of these names fit, since the longest name still has to fit before each is stored.
        var bench = Bench(limit: 80)
        for id: HostID in 1...4 { bench.join(id, uid: 1, comesBack: false) }
        #expect(bench.effects == [.store(1), .store(2), .noRoom(3), .noRoom(4)])
        #expect(bench.policy.due == nil)
        for id: HostID in 5...7 { bench.join(id, uid: 2, comesBack: false) }
        bench.join(8, uid: 3, comesBack: false)
        bench.join(9, uid: 4, comesBack: false)
        bench.join(10, uid: 5, comesBack: false)
        #expect(bench.stored == [1, 2, 5, 6, 8, 9])
        #expect(bench.policy.due == nil)
        bench.feed(.left(2))
        #expect(bench.stored.last == 10, "its turn came when there was no room")
        bench.feed(.left(1))
        #expect(bench.stored.last == 3)
        bench.feed(.left(9))
        #expect(bench.stored.last == 4)
    }

    @Test("hosts that an earlier daemon stored count towards the limit, and need no message")
    func inherited() {
        var bench = Bench(limit: 80)
        bench.feed(.inherited(StorePolicy.Host(id: 1, uid: 1, nameBytes: 20)))
        bench.join(2, uid: 1, comesBack: false)
        #expect(bench.effects == [.noRoom(2)])
        bench.feed(.left(1))
        #expect(bench.effects == [.noRoom(2), .store(2)])
    }

    @Test("useless descriptors are removed at the same rate, before any host is stored")
    func removals() {
        var bench = Bench()
        for id: HostID in 1...25 { bench.feed(.useless(name: "host-\(id)", nameBytes: 10)) }
        bench.join(30, comesBack: false)
        let removals = (1...25).map { StorePolicy.Effect.remove(name: "host-\($0)") }
        #expect(bench.effects == Array(removals[..<20]))
        bench.wait(.milliseconds(550))
        #expect(bench.effects == removals)
        bench.wait(.milliseconds(100))
        #expect(bench.effects.last == .store(30))
    }

    @Test("names that wait for their removal still take room")
    func roomOfRemovals() {
        var bench = Bench(limit: 80)
        for id: HostID in 1...20 { bench.feed(.useless(name: "\(id)", nameBytes: 0)) }
        bench.feed(.useless(name: "long", nameBytes: 70))
        bench.join(1, comesBack: false)
        #expect(bench.effects.last == .noRoom(1))
        bench.wait(.milliseconds(101))
        #expect(bench.effects.last == .remove(name: "long"))
        bench.wait(.milliseconds(101))
        #expect(bench.effects.last == .store(1))
    }
}
