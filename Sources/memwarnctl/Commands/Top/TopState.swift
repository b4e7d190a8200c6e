import MemoryPressure
import MemwarnProtocol

/// The state that `top` shows, and the user's view settings.
struct TopState {
    /// The number of hosts in a page, for the keys page up and page down.
    private static let page = 10

    private(set) var snapshot: DaemonSnapshot
    /// When the daemon sent it.
    private(set) var taken: MonotonicInstant
    /// `nil` if the state is shown only once: then no graph is drawn.
    private(set) var history: StallHistory?
    private(set) var order = HostOrder.releasable
    /// The index of the first visible host.
    var firstHost = 0
    private(set) var isPaused = false
    /// Why the snapshot is old.
    var trouble: String?

    /// Begins with a snapshot; `isLive` if there will be others.
    init(_ snapshot: DaemonSnapshot, isLive: Bool, at now: MonotonicInstant) {
        self.snapshot = snapshot
        taken = now
        guard isLive else { return }
        var first = StallHistory()
        first.note(snapshot.scopes, at: now)
        history = first
    }

    /// Takes a newer snapshot.
    mutating func take(_ newer: DaemonSnapshot, at now: MonotonicInstant) {
        // A new daemon numbers its scopes from the beginning.
        if newer.daemon.pid != snapshot.daemon.pid || newer.daemon.uptime < snapshot.daemon.uptime {
            history = StallHistory()
        }
        history?.note(newer.scopes, at: now)
        snapshot = newer
        taken = now
        trouble = nil
    }

    /// Handles a key; returns `false` if it ends the program.
    mutating func press(_ key: Key) -> Bool {
        switch key {
        case .quit: return false
        case .sort: order = order.next
        case .pause: isPaused.toggle()
        case .up: scroll(by: -1)
        case .down: scroll(by: 1)
        case .pageUp: scroll(by: -Self.page)
        case .pageDown: scroll(by: Self.page)
        }
        return true
    }

    private mutating func scroll(by count: Int) {
        firstHost = max(0, min(firstHost + count, snapshot.hosts.count - 1))
    }

    /// The hosts as they are to be shown.
    var hosts: [HostRecord] { order.sorted(snapshot.hosts) }
}

/// The sort order of hosts.
enum HostOrder: String, CaseIterable {
    case releasable
    case released
    case took
    case level
    case name

    /// The next order; the first follows the last.
    var next: Self {
        let all = Self.allCases
        // A case is one of all cases.
        let index = all.firstIndex(of: self) ?? 0
        return all[(index + 1) % all.count]
    }

    /// The largest values first, names from A to Z; among equals the host that registered first.
    func sorted(_ hosts: [HostRecord]) -> [HostRecord] {
        hosts.sorted { left, right in
            if self == .name { return (left.name, left.id) < (right.name, right.id) }
            return (figure(right), left.id) < (figure(left), right.id)
        }
    }

    private func figure(_ host: HostRecord) -> UInt64 {
        switch self {
        case .releasable: host.releasable
        case .released: host.outcome == .answered ? host.released : 0
        case .took: host.outcome == .answered ? host.duration : 0
        case .level: UInt64(host.level.rawValue)
        case .name: 0
        }
    }
}
