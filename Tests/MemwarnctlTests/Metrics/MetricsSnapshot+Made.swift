import MemoryPressure
import MemwarnProtocol

@testable import memwarnctl

extension MetricsSnapshot {
    /// A daemon with a value for every metric, and names that need escaping.
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
        let daemon = DaemonRecord {
            $0.pid = 812
            $0.uptime = 86_400_250
            $0.level = .warning
            $0.hosts = 3
            $0.scopes = 2
            $0.rounds = 9
            $0.version = "1.2.3"
        }
        let host = scope("/", .normal, limit: BindingLimit(.machine, bytes: 8 << 30, path: "/"))
        return Self(
            daemon: daemon,
            counters: counters,
            // The host's scope twice, as if it had been on two pages.
            scopes: [host, scope("/a\"b\\c\nd.slice", .warning, limit: nil), host],
            hosts: [
                self.host(1, "one", "/", .native, releasable: 100), self.host(2, "two", "/", .native, releasable: .max),
                self.host(3, "a\"b", "/a.slice", .pressure, releasable: 0),
                self.host(1, "one", "/", .native, releasable: 100),
            ]
        )
    }

    private static func scope(_ path: String, _ level: PressureLevel, limit: BindingLimit?) -> ScopeRecord {
        ScopeRecord {
            $0.id = 1
            $0.state = .present
            $0.level = level
            $0.reason = .simulation
            $0.rung = .unprivileged
            $0.window = 2_000_000
            $0.hosts = 2
            $0.someTotal = 1_234_567_890_123
            $0.fullTotal = 50
            $0.suppressed = 4
            $0.path = path
            $0.someAverage = .percent(12.5)
            $0.fullAverage = .percent(100)
            $0.highEvents = 17
            $0.maxEvents = 1
            $0.used = 3 << 30
            $0.limit = limit
        }
    }

    private static func host(
        _ id: UInt64,
        _ name: String,
        _ scope: String,
        _ door: HostRecord.Door,
        releasable: UInt64
    ) -> HostRecord {
        HostRecord {
            $0.id = id
            $0.state = .present
            $0.pid = 4_711
            $0.uid = 1_000
            $0.priority = 128
            $0.level = .normal
            $0.releasable = releasable
            $0.lastRound = 1
            $0.outcome = id == 1 ? .answered : .silent
            $0.released = 77
            $0.name = name
            $0.scope = scope
            $0.door = door
        }
    }
}
