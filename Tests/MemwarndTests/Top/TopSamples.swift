import MemoryPressure
import MemwarnProtocol

@testable import memwarnd

extension DaemonSnapshot {
    /// A daemon with a calm host, a pressed cgroup, three hosts and two rounds.
    static var sample: Self {
        var snapshot = Self(
            daemon: DaemonRecord(
                pid: 812,
                uptime: 93_784_000,
                level: .critical,
                hosts: 3,
                scopes: 2,
                rounds: 42,
                version: "1.2.3"
            )
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
        Self(
            id: id,
            state: .present,
            level: level,
            reason: PressureReason(.someStall, figure: .percent(43.25), threshold: .percent(40)),
            since: 12_000,
            rung: .privileged,
            window: 500_000,
            hosts: 2,
            someTotal: someTotal,
            fullTotal: 0,
            suppressed: 0,
            path: path,
            rungReason: ""
        )
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
        Self(
            id: id,
            state: .present,
            pid: UInt32(4_000 + id),
            uid: 1_000,
            priority: 128,
            level: level,
            releasable: releasable,
            lastRound: 42,
            outcome: answer == nil ? outcome : .answered,
            released: answer?.released ?? 0,
            residentBefore: 0,
            residentAfter: 0,
            duration: answer?.duration ?? 0,
            name: name,
            scope: "/system.slice/search.service"
        )
    }
}

extension RoundRecord {
    static func sample(_ id: UInt64, level: PressureLevel) -> Self {
        Self(
            id: id,
            state: .finished,
            level: level,
            options: [.answerWanted],
            reason: PressureReason(.someStall, figure: .percent(43.25), threshold: .percent(40)),
            bytesWanted: 0,
            hosts: 3,
            answered: 3,
            silent: 0,
            undeliverable: 0,
            released: 32 << 20,
            residentFreed: 0,
            age: 75_000,
            duration: 1_900_000,
            scope: "/system.slice/search.service",
            stages: 3,
            stage: 2,
            usedBefore: 250 << 20,
            usedAfter: 220 << 20,
            stallsBefore: .percent(43.25),
            stallsAfter: .percent(1)
        )
    }
}

extension MonotonicInstant {
    /// So many seconds after an hour, at which every length of a graph's part begins anew.
    static func second(_ seconds: Double) -> Self {
        Self(nanoseconds: UInt64((3_600 + seconds) * 1e9))
    }
}
