import MemoryPressure
import MemwarnProtocol

extension Metrics {
    static func daemon(_ record: DaemonRecord) -> [MetricFamily] {
        var build = MetricFamily("memwarnd_build_info", .gauge, "The version of the daemon; always 1.")
        build.add(.count(1), ("version", record.version))
        var uptime = MetricFamily("memwarnd_uptime_seconds", .gauge, "How long the daemon has run.")
        uptime.add(.seconds(milliseconds: record.uptime))
        var level = MetricFamily("memwarnd_level", .gauge, "The worst level of all scopes: 1 for the present level.")
        for each in PressureLevel.allCases { level.add(.flag(each == record.level), ("level", "\(each)")) }
        var hosts = MetricFamily("memwarnd_registered_hosts", .gauge, "Registered hosts.")
        hosts.add(.count(record.hosts))
        return [build, uptime, level, hosts]
    }

    static func counters(_ record: CountersRecord) -> [MetricFamily] {
        warnings(record) + bytes(record) + [answers(record.answers)] + housekeeping(record)
    }

    private static func warnings(_ record: CountersRecord) -> [MetricFamily] {
        var rounds = MetricFamily("memwarnd_rounds_total", .counter, "Finished rounds, by announced level.")
        for level in PressureLevel.allCases {
            rounds.add(.count(record.rounds[level]), ("level", "\(level)"), ("simulated", "false"))
            rounds.add(.count(record.simulations[level]), ("level", "\(level)"), ("simulated", "true"))
        }
        var sent = MetricFamily(
            "memwarnd_warnings_sent_total",
            .counter,
            "Warnings sent to a host, with or without an answer wanted, simulated ones included."
        )
        sent.add(.count(record.sent))
        var outcomes = MetricFamily("memwarnd_warnings_total", .counter, "Warnings by outcome.")
        outcomes.add(.count(record.answered), ("outcome", "answered"))
        outcomes.add(.count(record.silent), ("outcome", "silent"))
        outcomes.add(.count(record.undeliverable), ("outcome", "undeliverable"))
        outcomes.add(.count(record.unacknowledged), ("outcome", "unacknowledged"))
        var changes = MetricFamily(
            "memwarnd_level_changes_total",
            .counter,
            "Changes of scopes to a new level."
        )
        for level in PressureLevel.allCases { changes.add(.count(record.changes[level]), ("level", "\(level)")) }
        return [rounds, sent, outcomes, changes]
    }

    private static func bytes(_ record: CountersRecord) -> [MetricFamily] {
        func family(_ name: String, _ help: String, _ bytes: UInt64) -> MetricFamily {
            var family = MetricFamily(name, .counter, help)
            family.add(.count(bytes))
            return family
        }
        return [
            family("memwarnd_released_bytes_total", "Bytes that hosts claim to have released.", record.released),
            family(
                "memwarnd_resident_freed_bytes_total",
                "Decrease of resident memory by the hosts' own statements.",
                record.residentFreed
            ),
            family(
                "memwarnd_measured_released_bytes_total",
                "Bytes that hosts claim to have released in the rounds of memwarnd_kernel_freed_bytes_total.",
                record.releasedMeasured
            ),
            family(
                "memwarnd_kernel_freed_bytes_total",
                "Decrease of the use of limits in rounds, by the kernel's count.",
                record.kernelFreed
            ),
        ]
    }

    private static func answers(_ histogram: AnswerHistogram) -> MetricFamily {
        var family = MetricFamily(
            "memwarnd_answer_duration_seconds",
            .histogram,
            "Time from a warning to its answer, of answers that came in time."
        )
        let bounds = AnswerHistogram.bounds.map { "\(MetricValue.seconds(microseconds: $0))" } + ["+Inf"]
        var sum: UInt64 = 0
        for (bound, count) in zip(bounds, histogram.counts) {
            sum &+= count
            family.add(.count(sum), ("le", bound), suffix: "_bucket")
        }
        family.add(.seconds(microseconds: histogram.sum), suffix: "_sum")
        family.add(.count(sum), suffix: "_count")
        return family
    }

    private static func housekeeping(_ record: CountersRecord) -> [MetricFamily] {
        var registrations = MetricFamily("memwarnd_registrations_total", .counter, "Hosts that registered.")
        registrations.add(.count(record.registrations))
        var disconnections = MetricFamily("memwarnd_disconnections_total", .counter, "Hosts whose connections ended.")
        disconnections.add(.count(record.disconnections))
        var refusals = MetricFamily("memwarnd_refusals_total", .counter, "Refusals of the daemon, by reason.")
        for code in RefusalCounts.codes { refusals.add(.count(record.refusals[code]), ("code", code.name)) }
        refusals.add(.count(record.refusals.others), ("code", "other"))
        var dropped = MetricFamily(
            "memwarnd_journal_entries_dropped_total",
            .counter,
            "Log entries that were dropped because the log could not keep up."
        )
        dropped.add(.count(record.droppedEntries))
        var reloads = MetricFamily(
            "memwarnd_configuration_reloads_total",
            .counter,
            "Configurations that were read while the daemon ran: good took effect, bad were refused."
        )
        reloads.add(.count(record.reloads), ("result", "good"))
        reloads.add(.count(record.failedReloads), ("result", "bad"))
        return [registrations, disconnections, refusals, dropped, reloads]
    }
}

extension Refusal.Code {
    /// The name in metrics.
    fileprivate var name: String {
        switch self {
        case .malformed: "malformed"
        case .unsupportedVersion: "unsupported_version"
        case .unexpectedMessage: "unexpected_message"
        case .notPermitted: "not_permitted"
        case .tooManyPeers: "too_many_peers"
        case .noSuchHost: "no_such_host"
        case .tooManyRequests: "too_many_requests"
        default: "code_\(rawValue)"
        }
    }
}
