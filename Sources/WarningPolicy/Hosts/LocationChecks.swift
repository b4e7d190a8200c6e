import MemoryPressure

/// Decides when the location of hosts is checked again: a process may be moved to another cgroup without any event.
///
/// Services are moved right after their start, by the program that started them: a host is checked 1 s and 10 s after
/// it was found. After that it is checked only while memory is short, every 100 s, since a calm daemon does not wake
/// up.
struct LocationChecks: Sendable {
    private struct Check: Sendable {
        var at: MonotonicInstant
        var host: HostID
        /// The number of the check; a later check of the same host supersedes it.
        var number: UInt32
    }

    /// First in, first out: all checks in a queue wait for the same time.
    private struct Queue: Sendable {
        var checks: [Check] = []
        var first = 0

        var next: Check? { first < checks.count ? checks[first] : nil }

        mutating func removeFirst() {
            first += 1
            // Half of the array is done: the rest moves to the front.
            guard first * 2 > checks.count else { return }
            checks.removeFirst(first)
            first = 0
        }

        /// Forgets the checks of hosts that have left, and gives up their room.
        mutating func shrink(_ hosts: HostTable) {
            checks.removeFirst(first)
            first = 0
            checks.removeAll { hosts.slot(of: $0.host) == nil }
            checks.shrink()
        }
    }

    /// The delay before the first check, and before a repeated attempt.
    static let soon = Duration.seconds(1)
    private static let later = Duration.seconds(10)
    private static let seldom = Duration.seconds(100)
    /// The number of checks at a time.
    private static let batch = 64
    private var first = Queue()
    private var second = Queue()
    /// At most one check for each host.
    private var standing = Queue()

    /// When ``take(at:isCalm:_:)`` is due on a calm machine.
    var due: MonotonicInstant? { .earlier(first.next?.at, second.next?.at) }

    /// Begins the checks of a host that was found for the first time, or that has to be checked soon for another
    /// reason.
    mutating func begin(_ slot: HostTable.Slot, _ hosts: inout HostTable, at now: MonotonicInstant) {
        hosts[slot].check &+= 1
        first.checks.append(
            Check(at: now.advanced(by: Self.soon), host: hosts[slot].id, number: hosts[slot].check)
        )
    }

    /// Repeats a check that failed.
    mutating func tryAgain(_ slot: HostTable.Slot, _ hosts: inout HostTable, at now: MonotonicInstant) {
        hosts[slot].check &+= 1
        second.checks.append(
            Check(at: now.advanced(by: Self.later), host: hosts[slot].id, number: hosts[slot].check)
        )
    }

    /// Removes the checks of hosts that have left; otherwise each would stay until it is due, for some of them only while
    /// memory is short.
    mutating func shrink(_ hosts: HostTable) {
        first.shrink(hosts)
        second.shrink(hosts)
        standing.shrink(hosts)
    }

    /// Returns the hosts to check now.
    mutating func take(at now: MonotonicInstant, isCalm: Bool, _ hosts: inout HostTable) -> [HostID] {
        var taken: [HostID] = []
        while taken.count < Self.batch, let check = first.next, check.at <= now {
            first.removeFirst()
            guard let slot = hosts.slot(of: check.host), hosts[slot].check == check.number else { continue }
            taken.append(check.host)
            second.checks.append(Check(at: now.advanced(by: Self.later), host: check.host, number: check.number))
        }
        while taken.count < Self.batch, let check = second.next, check.at <= now {
            second.removeFirst()
            guard let slot = hosts.slot(of: check.host), hosts[slot].check == check.number else { continue }
            taken.append(check.host)
            guard !hosts[slot].hasStandingCheck else { continue }
            hosts[slot].hasStandingCheck = true
            standing.checks.append(Check(at: now.advanced(by: Self.seldom), host: check.host, number: 0))
        }
        guard !isCalm else { return taken }
        while taken.count < Self.batch, let check = standing.next, check.at <= now {
            standing.removeFirst()
            guard hosts.slot(of: check.host) != nil else { continue }
            taken.append(check.host)
            standing.checks.append(Check(at: now.advanced(by: Self.seldom), host: check.host, number: 0))
        }
        return taken
    }
}
