import MemoryPressure
import MemwarnProtocol

extension Sample {
    static let records = [
        Sample(
            "daemon",
            sequence: 3,
            .daemon(
                DaemonRecord {
                    $0.pid = 812
                    $0.uptime = 86_400_000
                    $0.level = .warning
                    $0.hosts = 10_000
                    $0.scopes = 3
                    $0.rounds = 99
                    $0.version = "1.0.0"
                    $0.doors = "native"
                    $0.refusal = "a.toml:1: no"
                }
            ),
            optionalBytes: 14
        ),
        Sample(
            "scope",
            sequence: 8,
            .scope(
                ScopeRecord {
                    $0.id = 2
                    $0.state = .present
                    $0.level = .critical
                    $0.reason = PressureReason(.fullStall, figure: .percent(7), threshold: .percent(5))
                    $0.since = 1500
                    $0.rung = .polling
                    $0.window = 2_000_000
                    $0.hosts = 4
                    $0.someTotal = 123_456_789
                    $0.fullTotal = 98_765_432
                    $0.suppressed = 5
                    $0.path = "/user.slice"
                    $0.rungReason = "no CAP_SYS_RESOURCE"
                    $0.someAverage = .percent(12.5)
                    $0.fullAverage = .percent(3)
                    $0.highEvents = 17
                    $0.maxEvents = 1
                    $0.sampling = 250_000
                    $0.used = 200 << 20
                    $0.limit = BindingLimit(.high, bytes: 256 << 20, path: "/user.slice")
                }
            ),
            optionalBytes: 22
        ),
        Sample(
            "host",
            sequence: 8,
            .host(
                HostRecord {
                    $0.id = 7
                    $0.state = .present
                    $0.pid = 4711
                    $0.uid = 1000
                    $0.priority = 128
                    $0.level = .critical
                    $0.releasable = 16 << 20
                    $0.lastRound = 42
                    $0.outcome = .silent
                    $0.released = 32 << 20
                    $0.residentBefore = 80 << 20
                    $0.residentAfter = 48 << 20
                    $0.duration = 12_345
                    $0.name = "gallery"
                    $0.scope = "/user.slice"
                    $0.door = .pressure
                    $0.allocator = .mimalloc
                }
            ),
            optionalBytes: 1
        ),
        Sample(
            "round",
            sequence: 8,
            .round(
                RoundRecord {
                    $0.id = 42
                    $0.state = .finished
                    $0.level = .critical
                    $0.options = [.simulated, .answerWanted]
                    $0.reason = PressureReason(
                        .fullStall,
                        figure: .percent(7.25),
                        threshold: .percent(5),
                        limit: BindingLimit(.v1, bytes: 1 << 40, path: "/a.slice")
                    )
                    $0.bytesWanted = 64 << 20
                    $0.hosts = 6
                    $0.answered = 3
                    $0.silent = 2
                    $0.undeliverable = 1
                    $0.released = 32 << 20
                    $0.residentFreed = 31 << 20
                    $0.age = 2500
                    $0.duration = 1_000_321
                    $0.scope = "/"
                    $0.stages = 3
                    $0.stage = 2
                    $0.unacknowledged = 4
                    $0.usedBefore = 900 << 20
                    $0.usedAfter = 860 << 20
                    $0.stallsBefore = .percent(43.2)
                    $0.stallsAfter = .percent(0.5)
                    $0.medianAnswer = 1500
                    $0.slowestAnswer = 90_000
                }
            ),
            optionalBytes: 19
        ),
    ]
}
