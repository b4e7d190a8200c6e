import MemoryPressure
import MemwarnProtocol

@testable import memwarnd

extension MetricsSnapshot {
    /// A daemon with something in every metric, and names that need escaping.
    static var made: Self {
        var counters = CountersRecord()
        counters.rounds[.warning] = 7
        counters.simulations[.critical] = 2
        counters.changes[.warning] = 3
        counters.sent = 90
        counters.answered = 80
        counters.silent = 6
        counters.undeliverable = 3
        counters.unacknowledged = 4
        counters.released = 5 << 30
        counters.residentFreed = 4 << 30
        counters.releasedMeasured = 3 << 30
        counters.kernelFreed = 2 << 30
        for time: UInt64 in [900, 1_700, 1_800, 7_000_000] { counters.answers.add(microseconds: time) }
        counters.registrations = 12
        counters.disconnections = 9
        counters.refusals[.tooManyPeers] = 1
        counters.refusals[Refusal.Code(rawValue: 99)] = 5
        counters.droppedEntries = 13
        counters.reloads = 2
        counters.failedReloads = 1
        let daemon = DaemonRecord(
            pid: 812,
            uptime: 86_400_250,
            level: .warning,
            hosts: 3,
            scopes: 2,
            rounds: 9,
            version: "1.2.3"
        )
        let host = scope("/", .normal, limit: BindingLimit(.machine, bytes: 8 << 30, path: "/"))
        return Self(
            daemon: daemon,
            counters: counters,
            // Once more, as if it had come on two pages.
            scopes: [host, scope("/a\"b\\c\nd.slice", .warning, limit: nil), host],
            hosts: [
                self.host(1, "one", "/", .native, releasable: 100), self.host(2, "two", "/", .native, releasable: .max),
                self.host(3, "a\"b", "/a.slice", .pressure, releasable: 0),
                self.host(1, "one", "/", .native, releasable: 100),
            ]
        )
    }

    private static func scope(_ path: String, _ level: PressureLevel, limit: BindingLimit?) -> ScopeRecord {
        ScopeRecord(
            id: 1,
            state: .present,
            level: level,
            reason: .simulation,
            since: 0,
            rung: .unprivileged,
            window: 2_000_000,
            hosts: 2,
            someTotal: 1_234_567_890_123,
            fullTotal: 50,
            suppressed: 4,
            path: path,
            rungReason: "",
            someAverage: .percent(12.5),
            fullAverage: .percent(100),
            highEvents: 17,
            maxEvents: 1,
            used: 3 << 30,
            limit: limit
        )
    }

    private static func host(
        _ id: UInt64,
        _ name: String,
        _ scope: String,
        _ door: HostRecord.Door,
        releasable: UInt64
    ) -> HostRecord {
        HostRecord(
            id: id,
            state: .present,
            pid: 4_711,
            uid: 1_000,
            priority: 128,
            level: .normal,
            releasable: releasable,
            lastRound: 1,
            outcome: id == 1 ? .answered : .silent,
            released: 77,
            residentBefore: 0,
            residentAfter: 0,
            duration: 0,
            name: name,
            scope: scope,
            door: door
        )
    }
}
