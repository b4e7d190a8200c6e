import MemoryPressure
import MemwarnProtocol

extension Sample {
    static let records = [
        Sample(
            "daemon",
            sequence: 3,
            .daemon(
                DaemonRecord(
                    pid: 812,
                    uptime: 86_400_000,
                    level: .warning,
                    hosts: 10_000,
                    scopes: 3,
                    rounds: 99,
                    version: "1.0.0",
                    doors: "native"
                )
            ),
            """
            01 20 00 00 3c 00 00 00 03 00 00 00 00 00 00 00
            2c 03 00 00 00 5c 26 05 00 00 00 00 01 10 27 00 00 03 00 00 00 63 00 00 00 00 00 00 00 05 00 31
            2e 30 2e 30 06 00 6e 61 74 69 76 65
            """
        ),
        Sample(
            "scope",
            sequence: 8,
            .scope(
                ScopeRecord(
                    id: 2,
                    state: .present,
                    level: .critical,
                    reason: PressureReason(.fullStall, figure: .percent(7), threshold: .percent(5)),
                    since: 1500,
                    rung: .polling,
                    window: 2_000_000,
                    hosts: 4,
                    someTotal: 123_456_789,
                    fullTotal: 98_765_432,
                    suppressed: 5,
                    path: "/user.slice",
                    rungReason: "no CAP_SYS_RESOURCE",
                    someAverage: .percent(12.5),
                    fullAverage: .percent(3),
                    highEvents: 17,
                    maxEvents: 1,
                    sampling: 250_000,
                    used: 200 << 20,
                    limit: BindingLimit(.high, bytes: 256 << 20, path: "/user.slice")
                )
            ),
            """
            01 21 00 00 ac 00 00 00 08 00 00 00 00 00 00 00
            02 00 00 00 00 00 00 00 01 02 02 bc 02 00 00 f4 01 00 00 dc 05 00 00 00 00 00 00 03 80 84 1e 00
            04 00 00 00 15 cd 5b 07 00 00 00 00 78 0a e3 05 00 00 00 00 05 00 00 00 00 00 00 00 0b 00 2f 75
            73 65 72 2e 73 6c 69 63 65 13 00 6e 6f 20 43 41 50 5f 53 59 53 5f 52 45 53 4f 55 52 43 45 e2 04
            00 00 2c 01 00 00 11 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00 90 d0 03 00 00 00 00 00 00 00
            80 0c 00 00 00 00 02 00 00 00 10 00 00 00 00 0b 00 2f 75 73 65 72 2e 73 6c 69 63 65
            """,
            optionalBytes: 22
        ),
        Sample(
            "host",
            sequence: 8,
            .host(
                HostRecord(
                    id: 7,
                    state: .present,
                    pid: 4711,
                    uid: 1000,
                    priority: 128,
                    level: .critical,
                    releasable: 16 << 20,
                    lastRound: 42,
                    outcome: .silent,
                    released: 32 << 20,
                    residentBefore: 80 << 20,
                    residentAfter: 48 << 20,
                    duration: 12_345,
                    name: "gallery",
                    scope: "/user.slice",
                    door: .pressure,
                    allocator: .mimalloc
                )
            ),
            """
            01 22 00 00 6c 00 00 00 08 00 00 00 00 00 00 00
            07 00 00 00 00 00 00 00 01 67 12 00 00 e8 03 00 00 80 02 00 00 00 01 00 00 00 00 2a 00 00 00 00
            00 00 00 03 00 00 00 02 00 00 00 00 00 00 00 05 00 00 00 00 00 00 00 03 00 00 00 00 39 30 00 00
            00 00 00 00 07 00 67 61 6c 6c 65 72 79 0b 00 2f 75 73 65 72 2e 73 6c 69 63 65 01 04
            """,
            optionalBytes: 1
        ),
        Sample(
            "round",
            sequence: 8,
            .round(
                RoundRecord(
                    id: 42,
                    state: .finished,
                    level: .critical,
                    options: [.simulated, .answerWanted],
                    reason: .simulation,
                    bytesWanted: 64 << 20,
                    hosts: 6,
                    answered: 3,
                    silent: 2,
                    undeliverable: 1,
                    released: 32 << 20,
                    residentFreed: 31 << 20,
                    age: 2500,
                    duration: 1_000_321,
                    scope: "/",
                    stages: 3,
                    stage: 2,
                    unacknowledged: 4,
                    usedBefore: 900 << 20,
                    usedAfter: 860 << 20,
                    stallsBefore: .percent(43.2),
                    stallsAfter: .percent(0.5),
                    medianAnswer: 1500,
                    slowestAnswer: 90_000
                )
            ),
            """
            01 23 00 00 98 00 00 00 08 00 00 00 00 00 00 00
            2a 00 00 00 00 00 00 00 01 02 03 04 00 00 00 00 00 00 00 00 00 00 00 04 00 00 00 00 06 00 00 00
            03 00 00 00 02 00 00 00 01 00 00 00 00 00 00 02 00 00 00 00 00 00 f0 01 00 00 00 00 c4 09 00 00
            00 00 00 00 81 43 0f 00 00 00 00 00 01 00 2f 03 02 04 00 00 00 00 00 40 38 00 00 00 00 00 00 c0
            35 00 00 00 00 e0 10 00 00 32 00 00 00 dc 05 00 00 00 00 00 00 90 5f 01 00 00 00 00 00 00 00 00
            00 00 00 00 00 00 00 00
            """,
            optionalBytes: 11
        ),
    ]
}
