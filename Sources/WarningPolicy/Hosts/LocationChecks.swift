import MemoryPressure

/// When hosts are looked for anew: a process may be moved to another cgroup, and nothing tells that another one has done so.
///
/// Services are moved right after they have started, by the program that started them: a host is looked for a second and
/// ten seconds after it was found. After that only while memory is short, every 100 s, since a calm daemon does not wake.
struct LocationChecks: Sendable {
    private struct Check: Sendable {
        var at: MonotonicInstant
        var host: HostID
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
    }

    static let soon = Duration.seconds(1)
    private static let gaps: [Duration] = [soon, .seconds(10), .seconds(100)]
    /// How many at a time.
    private static let batch = 64
    private var queues = gaps.map { _ in Queue() }

    /// When ``take(at:isCalm:)`` has something to say on a calm machine.
    var due: MonotonicInstant? {
        guard let first = queues[0].next?.at else { return queues[1].next?.at }
        return min(first, queues[1].next?.at ?? first)
    }

    /// A host was found for the first time, or has to be looked for soon for another reason.
    mutating func begin(_ host: HostID, at now: MonotonicInstant) {
        queues[0].checks.append(Check(at: now.advanced(by: Self.gaps[0]), host: host))
    }

    /// A host could not be looked for.
    mutating func tryAgain(_ host: HostID, at now: MonotonicInstant) {
        queues[1].checks.append(Check(at: now.advanced(by: Self.gaps[1]), host: host))
    }

    /// The hosts to look for now, those that `isThere` says have left excepted.
    mutating func take(at now: MonotonicInstant, isCalm: Bool, isThere: (HostID) -> Bool) -> [HostID] {
        var hosts: [HostID] = []
        for queue in queues.indices where queue < 2 || !isCalm {
            while hosts.count < Self.batch, let check = queues[queue].next, check.at <= now {
                queues[queue].removeFirst()
                guard isThere(check.host) else { continue }
                hosts.append(check.host)
                let next = min(queue + 1, Self.gaps.count - 1)
                queues[next].checks.append(Check(at: now.advanced(by: Self.gaps[next]), host: check.host))
            }
        }
        return hosts
    }
}
