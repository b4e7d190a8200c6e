extension MetricsTextTests {
    /// The metrics of ``MetricsSnapshot/made`` for Prometheus.
    static let text = #"""
        # HELP memwarnd_up Whether the daemon answered.
        # TYPE memwarnd_up gauge
        memwarnd_up 1
        # HELP memwarnd_build_info The version of the daemon; always 1.
        # TYPE memwarnd_build_info gauge
        memwarnd_build_info{version="1.2.3"} 1
        # HELP memwarnd_uptime_seconds How long the daemon has run.
        # TYPE memwarnd_uptime_seconds gauge
        memwarnd_uptime_seconds 86400.25
        # HELP memwarnd_level The worst level of all scopes: 1 for the present level.
        # TYPE memwarnd_level gauge
        memwarnd_level{level="normal"} 0
        memwarnd_level{level="warning"} 1
        memwarnd_level{level="critical"} 0
        # HELP memwarnd_registered_hosts Registered hosts.
        # TYPE memwarnd_registered_hosts gauge
        memwarnd_registered_hosts 3
        # HELP memwarnd_rounds_total Finished rounds, by announced level.
        # TYPE memwarnd_rounds_total counter
        memwarnd_rounds_total{level="normal",simulated="false"} 0
        memwarnd_rounds_total{level="normal",simulated="true"} 0
        memwarnd_rounds_total{level="warning",simulated="false"} 7
        memwarnd_rounds_total{level="warning",simulated="true"} 0
        memwarnd_rounds_total{level="critical",simulated="false"} 0
        memwarnd_rounds_total{level="critical",simulated="true"} 2
        # HELP memwarnd_warnings_sent_total Warnings sent to a host, with or without an answer wanted, simulated ones included.
        # TYPE memwarnd_warnings_sent_total counter
        memwarnd_warnings_sent_total 90
        # HELP memwarnd_warnings_total Warnings by outcome.
        # TYPE memwarnd_warnings_total counter
        memwarnd_warnings_total{outcome="answered"} 80
        memwarnd_warnings_total{outcome="silent"} 6
        memwarnd_warnings_total{outcome="undeliverable"} 3
        memwarnd_warnings_total{outcome="unacknowledged"} 4
        # HELP memwarnd_level_changes_total Changes of scopes to a new level.
        # TYPE memwarnd_level_changes_total counter
        memwarnd_level_changes_total{level="normal"} 0
        memwarnd_level_changes_total{level="warning"} 3
        memwarnd_level_changes_total{level="critical"} 0
        # HELP memwarnd_released_bytes_total Bytes that hosts claim to have released.
        # TYPE memwarnd_released_bytes_total counter
        memwarnd_released_bytes_total 5368709120
        # HELP memwarnd_resident_freed_bytes_total Decrease of resident memory by the hosts' own statements.
        # TYPE memwarnd_resident_freed_bytes_total counter
        memwarnd_resident_freed_bytes_total 4294967296
        # HELP memwarnd_measured_released_bytes_total Bytes that hosts claim to have released in the rounds of memwarnd_kernel_freed_bytes_total.
        # TYPE memwarnd_measured_released_bytes_total counter
        memwarnd_measured_released_bytes_total 3221225472
        # HELP memwarnd_kernel_freed_bytes_total Decrease of the use of limits in rounds, by the kernel's count.
        # TYPE memwarnd_kernel_freed_bytes_total counter
        memwarnd_kernel_freed_bytes_total 2147483648
        # HELP memwarnd_answer_duration_seconds Time from a warning to its answer, of answers that came in time.
        # TYPE memwarnd_answer_duration_seconds histogram
        memwarnd_answer_duration_seconds_bucket{le="0.001"} 1
        memwarnd_answer_duration_seconds_bucket{le="0.0025"} 3
        memwarnd_answer_duration_seconds_bucket{le="0.005"} 3
        memwarnd_answer_duration_seconds_bucket{le="0.01"} 3
        memwarnd_answer_duration_seconds_bucket{le="0.025"} 3
        memwarnd_answer_duration_seconds_bucket{le="0.05"} 3
        memwarnd_answer_duration_seconds_bucket{le="0.1"} 3
        memwarnd_answer_duration_seconds_bucket{le="0.25"} 3
        memwarnd_answer_duration_seconds_bucket{le="0.5"} 3
        memwarnd_answer_duration_seconds_bucket{le="1"} 3
        memwarnd_answer_duration_seconds_bucket{le="2.5"} 3
        memwarnd_answer_duration_seconds_bucket{le="5"} 3
        memwarnd_answer_duration_seconds_bucket{le="+Inf"} 4
        memwarnd_answer_duration_seconds_sum 7.0044
        memwarnd_answer_duration_seconds_count 4
        # HELP memwarnd_registrations_total Hosts that registered.
        # TYPE memwarnd_registrations_total counter
        memwarnd_registrations_total 12
        # HELP memwarnd_disconnections_total Hosts whose connections ended.
        # TYPE memwarnd_disconnections_total counter
        memwarnd_disconnections_total 9
        # HELP memwarnd_refusals_total Refusals of the daemon, by reason.
        # TYPE memwarnd_refusals_total counter
        memwarnd_refusals_total{code="malformed"} 0
        memwarnd_refusals_total{code="unsupported_version"} 0
        memwarnd_refusals_total{code="unexpected_message"} 0
        memwarnd_refusals_total{code="not_permitted"} 0
        memwarnd_refusals_total{code="too_many_peers"} 1
        memwarnd_refusals_total{code="no_such_host"} 0
        memwarnd_refusals_total{code="too_many_requests"} 0
        memwarnd_refusals_total{code="other"} 5
        # HELP memwarnd_journal_entries_dropped_total Log entries that were dropped because the log could not keep up.
        # TYPE memwarnd_journal_entries_dropped_total counter
        memwarnd_journal_entries_dropped_total 13
        # HELP memwarnd_configuration_reloads_total Configurations that were read while the daemon ran: good took effect, bad were refused.
        # TYPE memwarnd_configuration_reloads_total counter
        memwarnd_configuration_reloads_total{result="good"} 2
        memwarnd_configuration_reloads_total{result="bad"} 1
        # HELP memwarnd_scope_level A scope's level: 1 for the present level.
        # TYPE memwarnd_scope_level gauge
        memwarnd_scope_level{scope="/",level="normal"} 1
        memwarnd_scope_level{scope="/",level="warning"} 0
        memwarnd_scope_level{scope="/",level="critical"} 0
        memwarnd_scope_level{scope="/a\"b\\c\nd.slice",level="normal"} 0
        memwarnd_scope_level{scope="/a\"b\\c\nd.slice",level="warning"} 1
        memwarnd_scope_level{scope="/a\"b\\c\nd.slice",level="critical"} 0
        # HELP memwarnd_scope_rung_info How a scope is watched; always 1.
        # TYPE memwarnd_scope_rung_info gauge
        memwarnd_scope_rung_info{scope="/",rung="trigger"} 1
        memwarnd_scope_rung_info{scope="/a\"b\\c\nd.slice",rung="trigger"} 1
        # HELP memwarnd_scope_stall_seconds_total Time in which tasks waited for memory: some is at least one of them, full is all.
        # TYPE memwarnd_scope_stall_seconds_total counter
        memwarnd_scope_stall_seconds_total{scope="/",kind="some"} 1234567.890123
        memwarnd_scope_stall_seconds_total{scope="/",kind="full"} 0.00005
        memwarnd_scope_stall_seconds_total{scope="/a\"b\\c\nd.slice",kind="some"} 1234567.890123
        memwarnd_scope_stall_seconds_total{scope="/a\"b\\c\nd.slice",kind="full"} 0.00005
        # HELP memwarnd_scope_stall_ratio Share of the last ten seconds in which tasks waited for memory.
        # TYPE memwarnd_scope_stall_ratio gauge
        memwarnd_scope_stall_ratio{scope="/",kind="some"} 0.125
        memwarnd_scope_stall_ratio{scope="/",kind="full"} 1
        memwarnd_scope_stall_ratio{scope="/a\"b\\c\nd.slice",kind="some"} 0.125
        memwarnd_scope_stall_ratio{scope="/a\"b\\c\nd.slice",kind="full"} 1
        # HELP memwarnd_scope_suppressed_events_total Events of the kernel that were not believed, because the totals had not grown enough.
        # TYPE memwarnd_scope_suppressed_events_total counter
        memwarnd_scope_suppressed_events_total{scope="/"} 4
        memwarnd_scope_suppressed_events_total{scope="/a\"b\\c\nd.slice"} 4
        # HELP memwarnd_scope_used_bytes Memory used of the limit that binds a scope.
        # TYPE memwarnd_scope_used_bytes gauge
        memwarnd_scope_used_bytes{scope="/"} 3221225472
        # HELP memwarnd_scope_limit_bytes The limit that binds a scope: its kind, and the cgroup that sets it.
        # TYPE memwarnd_scope_limit_bytes gauge
        memwarnd_scope_limit_bytes{scope="/",limit="MemTotal",cgroup="/"} 8589934592
        # HELP memwarnd_scope_limit_events_total How often a scope was throttled at memory.high, or reached memory.max.
        # TYPE memwarnd_scope_limit_events_total counter
        memwarnd_scope_limit_events_total{scope="/",limit="memory.high"} 17
        memwarnd_scope_limit_events_total{scope="/",limit="memory.max"} 1
        memwarnd_scope_limit_events_total{scope="/a\"b\\c\nd.slice",limit="memory.high"} 17
        memwarnd_scope_limit_events_total{scope="/a\"b\\c\nd.slice",limit="memory.max"} 1
        # HELP memwarnd_hosts Registered hosts by scope and door.
        # TYPE memwarnd_hosts gauge
        memwarnd_hosts{scope="/",door="native"} 2
        memwarnd_hosts{scope="/a.slice",door="pressure socket"} 1
        # HELP memwarnd_hosts_releasable_bytes Bytes that the hosts of a scope and door could release by their own statements.
        # TYPE memwarnd_hosts_releasable_bytes gauge
        memwarnd_hosts_releasable_bytes{scope="/",door="native"} 18446744073709551615
        memwarnd_hosts_releasable_bytes{scope="/a.slice",door="pressure socket"} 0

        """#

    /// The additional metrics with `--per-host`.
    static let hosts = #"""
        # HELP memwarnd_host_info The identity of a host; always 1.
        # TYPE memwarnd_host_info gauge
        memwarnd_host_info{host="1",name="one",pid="4711",uid="1000",scope="/",door="native"} 1
        memwarnd_host_info{host="2",name="two",pid="4711",uid="1000",scope="/",door="native"} 1
        memwarnd_host_info{host="3",name="a\"b",pid="4711",uid="1000",scope="/a.slice",door="pressure socket"} 1
        # HELP memwarnd_host_releasable_bytes Bytes that a host could release by its own statement.
        # TYPE memwarnd_host_releasable_bytes gauge
        memwarnd_host_releasable_bytes{host="1"} 100
        memwarnd_host_releasable_bytes{host="2"} 18446744073709551615
        memwarnd_host_releasable_bytes{host="3"} 0
        # HELP memwarnd_host_last_warning_info The outcome of the last warning to a host; always 1.
        # TYPE memwarnd_host_last_warning_info gauge
        memwarnd_host_last_warning_info{host="1",outcome="answered"} 1
        memwarnd_host_last_warning_info{host="2",outcome="silent"} 1
        memwarnd_host_last_warning_info{host="3",outcome="silent"} 1
        # HELP memwarnd_host_last_released_bytes Bytes that a host claims to have released at the last warning that it answered.
        # TYPE memwarnd_host_last_released_bytes gauge
        memwarnd_host_last_released_bytes{host="1"} 77

        """#
}
