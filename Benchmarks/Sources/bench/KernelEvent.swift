internal import BenchSupport
internal import CBench
internal import Glibc

/// Measures a kernel event under real pressure: from the return of an observer's poll to the handler of one host.
///
/// Baseline and daemon take turns, each with one host beside the observer. The kernel evaluates unprivileged triggers
/// every 2 s, so each sample takes that long. The daemon is started for each sample: while a level lasts it reads the
/// figures at intervals and does not wait for events.
struct KernelEvent {
    let workbench: Workbench

    private static let turns = 20
    /// The trigger that the others arm too (10 % of 2 s), with a warning at its first event.
    private static let configuration = """
        [levels]
        warning = 10
        critical = 10
        critical-full = 100
        headroom = 0.02
        headroom-critical = 0.01
        """

    private enum Receiver: CaseIterable {
        case plain
        case reading
        case woken
        case daemon
        case controllerHost

        /// The socket of its server.
        var server: String {
            switch self {
            case .plain: "plain"
            case .reading, .woken: "reading"
            case .daemon, .controllerHost: "memwarnd"
            }
        }
    }

    func run() throws {
        let group: StalledGroup
        do {
            group = try StalledGroup()
        } catch let missing as StalledGroup.Unavailable {
            print("\n### Kernel event to handler\n\nskipped: \(missing)")
            return
        }
        let pressure = group.directory + "/memory.pressure"
        let seconds = Self.turns * Receiver.allCases.count * 4
        let thrash = try workbench.thrash(children: 2, seconds: seconds, cgroups: group.directories)
        let plain = try workbench.plain("plain", pressure: pressure)
        let reading = try workbench.plain("reading", pressure: pressure, reading: group.limited)
        defer { workbench.end([thrash, plain, reading], sockets: ["plain", "reading"]) }

        // The observer's time counts as the event's time, so it must not wait for a processor behind the processes that
        // it observes.
        let runsFirst = bench_run_first()
        defer { bench_run_as_usual() }

        var times: [Receiver: Samples] = [:]
        var lost = 0
        for _ in 0..<Self.turns {
            for receiver in Receiver.allCases {
                if let time = try sample(receiver, pressure, group.directory) {
                    times[receiver, default: Samples()].add(time)
                } else {
                    lost += 1
                }
            }
        }
        report(times, lost, runsFirst)
    }

    /// Registers a host, waits for its warning, and lets it leave; `nil` if the observer missed the event.
    private func sample(_ receiver: Receiver, _ pressure: String, _ cgroup: String) throws -> UInt64? {
        let isPlain = receiver.server != "memwarnd"
        let daemon = isPlain ? nil : try workbench.memwarnd("memwarnd", configuration: Self.configuration)
        defer { if let daemon { workbench.end([daemon], sockets: ["memwarnd"]) } }
        // Armed again for each sample, like the host's trigger. A window after its last event, a trigger may be
        // slightly too early for the next event, and then waits two more seconds.
        let observer = try Observer(isPlain ? [pressure] : [pressure, "/proc/pressure/memory"])
        let host =
            switch receiver {
            case .controllerHost: try workbench.host(receiver.server, cgroup: cgroup)
            case .woken: try workbench.crowd(receiver.server, hosts: 1, answers: .woken, cgroup: cgroup)
            default: try workbench.crowd(receiver.server, hosts: 1, answers: .atOnce, cgroup: cgroup)
            }
        host.write("wait")
        let event = try observer.lastEvent(before: host)
        let received = try host.numbers()
        guard let event, let received = received.first, received > event else { return nil }
        return received - event
    }

    private func report(_ times: [Receiver: Samples], _ lost: Int, _ runsFirst: Bool) {
        guard let plain = times[.plain] else { return }
        let rows = [
            (Receiver.plain, "C: poll, send, recv"), (.reading, "C: the same, reads stalls and limits"),
            (.woken, "C: the same, the receiver wakes another thread"), (.daemon, "memwarnd, C receiver"),
            (.controllerHost, "memwarnd, `ControllerHost`"),
        ]
        .compactMap { receiver, name in
            times[receiver].map { samples in
                [
                    name, "\(samples.count)",
                    (samples.median / 1_000).decimal(1), "\((samples.median / plain.median).decimal(2))×",
                    (samples.p99 / 1_000).decimal(1), "\((samples.p99 / plain.p99).decimal(2))×",
                ]
            }
        }
        Table.print(
            "Kernel event to handler",
            ["", "n", "median µs", "ratio", "p99 µs", "ratio of p99"],
            rows,
            note: """
                \(lost) samples were dropped, in which the host had its warning before the observer ran\
                \(runsFirst ? "" : "; it had no real-time priority").
                """
        )
    }
}

/// Determines the time of an event, with the same triggers and a thread that waits for nothing else.
private struct Observer: ~Copyable {
    private let descriptors: [CInt]

    init(_ files: [String]) throws {
        descriptors = files.map { open($0, O_RDWR | O_NONBLOCK | O_CLOEXEC) }
        let trigger = "some 200000 2000000"
        for (descriptor, file) in zip(descriptors, files) {
            // The terminating NUL is part of the trigger.
            guard descriptor >= 0, trigger.withCString({ write(descriptor, $0, strlen($0) + 1) }) > 0 else {
                throw Failure("arm a trigger on", file)
            }
        }
    }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }

    /// The time of the last event before `host` writes a line; `nil` if there was none.
    func lastEvent(before host: Program) throws -> UInt64? {
        var event: UInt64?
        while true {
            let ready = try wait(
                for: [(host.outputDescriptor, CInt(POLLIN))] + descriptors.map { ($0, CInt(POLLPRI)) },
                milliseconds: 20_000
            )
            let now = bench_now()
            if ready[0] != 0 { return event }
            if ready.contains(where: { $0 & CInt(POLLERR) != 0 }) { throw Failure(sentence: "the cgroup is gone") }
            if ready.dropFirst().contains(where: { $0 & CInt(POLLPRI) != 0 }) { event = now }
        }
    }
}
