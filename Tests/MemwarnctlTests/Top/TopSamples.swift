import MemoryPressure
import MemwarnProtocol

@testable import memwarnctl

extension DaemonSnapshot {
    /// A daemon with a calm host, a cgroup under pressure, three hosts and two rounds.
    static var sample: Self {
        var snapshot = Self(
            daemon: DaemonRecord {
                $0.pid = 812
                $0.uptime = 93_784_000
                $0.level = .critical
                $0.hosts = 3
                $0.scopes = 2
                $0.rounds = 42
                $0.version = "1.2.3"
            }
        )
        snapshot.scopes = [
            .sample(1, "/", level: .normal, someTotal: 5_000_000),
            .sample(2, "/system.slice/search.service", level: .critical, someTotal: 90_000_000),
        ]
        snapshot.scopes[0].limit = BindingLimit(.machine, bytes: 24 << 30, path: "/")
        snapshot.scopes[0].used = 6 << 30
        snapshot.scopes[1].limit = BindingLimit(.high, bytes: 1 << 30, path: "/system.slice")
        snapshot.scopes[1].used = 950 << 20
        snapshot.scopes[1].someAverage = .percent(43.25)
        snapshot.scopes[1].fullAverage = .percent(7)
        snapshot.scopes[1].rung = .polling
        snapshot.hosts = [
            .sample(1, "gallery", releasable: 3 << 20),
            .sample(2, "search", releasable: 64 << 20, level: .critical, answer: (32 << 20, 12_345)),
            .sample(3, "mute", releasable: 0, level: .critical, outcome: .silent),
        ]
        snapshot.rounds = [.sample(41, level: .warning), .sample(42, level: .critical)]
        snapshot.rounds[1].state = .running
        snapshot.rounds[1].answered = 1
        snapshot.rounds[1].silent = 1
        snapshot.rounds[1].unacknowledged = 1
        return snapshot
    }
}

extension ScopeRecord {
    static func sample(_ id: UInt64, _ path: String, level: PressureLevel = .normal, someTotal: UInt64 = 0) -> Self {
        Self {
            $0.id = id
            $0.state = .present
            $0.level = level
            $0.reason = PressureReason(.someStall, figure: .percent(43.25), threshold: .percent(40))
            $0.since = 12_000
            $0.rung = .privileged
            $0.window = 500_000
            $0.hosts = 2
            $0.someTotal = someTotal
            $0.path = path
        }
    }
}

extension HostRecord {
    static func sample(
        _ id: UInt64,
        _ name: String,
        releasable: UInt64 = 0,
        level: PressureLevel = .normal,
        outcome: Outcome = .none,
        answer: (released: UInt64, duration: UInt64)? = nil
    ) -> Self {
        Self {
            $0.id = id
            $0.state = .present
            $0.pid = UInt32(4_000 + id)
            $0.uid = 1_000
            $0.priority = 128
            $0.level = level
            $0.releasable = releasable
            $0.lastRound = 42
            $0.outcome = answer == nil ? outcome : .answered
            $0.released = answer?.released ?? 0
            $0.duration = answer?.duration ?? 0
            $0.name = name
            $0.scope = "/system.slice/search.service"
        }
    }
}

extension RoundRecord {
    static func sample(_ id: UInt64, level: PressureLevel) -> Self {
        Self {
            $0.id = id
            $0.state = .finished
            $0.level = level
            $0.options = [.answerWanted]
            $0.reason = PressureReason(.someStall, figure: .percent(43.25), threshold: .percent(40))
            $0.hosts = 3
            $0.answered = 3
            $0.released = 32 << 20
            $0.age = 75_000
            $0.duration = 1_900_000
            $0.scope = "/system.slice/search.service"
            $0.stages = 3
            $0.stage = 2
            $0.usedBefore = 250 << 20
            $0.usedAfter = 220 << 20
            $0.stallsBefore = .percent(43.25)
            $0.stallsAfter = .percent(1)
        }
    }
}

extension MonotonicInstant {
    /// An instant this many seconds after a full hour, at which a part of a graph begins, whatever its length.
    static func second(_ seconds: Double) -> Self {
        Self(nanoseconds: UInt64((3_600 + seconds) * 1e9))
    }
}
