import MemoryPressure

/// When hosts are looked for anew: a process may be moved to another cgroup, and nothing tells that another one has done so.
///
/// Services are moved right after they have started, by the program that started them: a host is looked for a second and
/// ten seconds after it was found. After that only while memory is short, every 100 s, since a calm daemon does not wake.
struct LocationChecks: Sendable {
    private struct Check: Sendable {
        var at: MonotonicInstant
        var host: HostID
        /// Which of the host's checks it is; one that was begun later counts instead.
        var number: UInt32
    }

    /// First in, first out: all that wait in one wait for the same time.
    private struct Queue: Sendable {
        var checks: [Check] = []
        var first = 0

        var next: Check? { first < checks.count ? checks[first] : nil }

        mutating func removeFirst() {
            first += 1
            // Half of it is over: what is left moves to the front.
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

    /// How long after it was to be a host is looked for.
    static let soon = Duration.seconds(1)
    private static let later = Duration.seconds(10)
    private static let seldom = Duration.seconds(100)
    /// How many at a time.
    private static let batch = 64
    private var first = Queue()
    private var second = Queue()
    /// One for each host at most.
    private var standing = Queue()

    /// When ``take(at:isCalm:_:)`` has something to say on a calm machine.
    var due: MonotonicInstant? { .earlier(first.next?.at, second.next?.at) }

    /// A host was found for the first time, or has to be looked for soon for another reason.
    mutating func begin(_ slot: HostTable.Slot, _ hosts: inout HostTable, at now: MonotonicInstant) {
        hosts[slot].check &+= 1
        first.checks.append(
            Check(at: now.advanced(by: Self.soon), host: hosts[slot].id, number: hosts[slot].check)
        )
    }

    /// A host could not be looked for.
    mutating func tryAgain(_ slot: HostTable.Slot, _ hosts: inout HostTable, at now: MonotonicInstant) {
        hosts[slot].check &+= 1
        second.checks.append(
            Check(at: now.advanced(by: Self.later), host: hosts[slot].id, number: hosts[slot].check)
        )
    }

    /// Forgets the checks of hosts that have left, which else come to an end one by one, some of them only while memory is
    /// short.
    mutating func shrink(_ hosts: HostTable) {
        first.shrink(hosts)
        second.shrink(hosts)
        standing.shrink(hosts)
    }

    /// The hosts to look for now.
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
