internal import MemoryPressure

/// What the hosts of one process have passed on, and what the caches that they share gave for it: a pure value.
///
/// Every host of a process hears of the same shortage, so:
///
/// - **A warning without a number**, from the kernel, is counted for its host. It is news if the host has passed on more of
///   that level and above than any host before it: hosts that each hear of one event have the caches shrink once, and a
///   repetition has them shrink once more, whichever host is first.
/// - **A round of a daemon** is known by its number. Caches follow the level's rule once in a round; the bytes wanted of
///   its hosts add up, and so does what the hosts and the caches gave.
/// - **What a program simulates** by itself is always done.
///
/// Pressure ends when no host is at a raised level any more; then counting begins anew. Not when the first says so: another
/// may watch another scope. A host that ends or stops to run has no say in it, so none can keep caches small for ever.
struct SharedWarnings {
    /// What the caches are to do for one warning of one host.
    enum Part: Hashable {
        /// Nothing: it is answered already.
        case nothing
        /// What the level asks for, and so many bytes if there is a number.
        case level(bytes: UInt64?)
        /// So many bytes, and not to grow.
        case bytes(UInt64)

        /// The bytes that it asks for.
        fileprivate var bytes: UInt64 {
            switch self {
            case .nothing: 0
            case .level(let bytes): bytes ?? 0
            case .bytes(let bytes): bytes
            }
        }
    }

    private struct Host {
        let id: UInt64
        /// By the last warning that was no simulation.
        var level = PressureLevel.normal
        var isRunning = false
        var heard = Counts()
    }

    /// How many warnings without a number came, by level.
    private struct Counts {
        /// Those at critical too.
        var warning: UInt64 = 0
        var critical: UInt64 = 0

        mutating func count(_ level: PressureLevel) {
            warning += 1
            if level == .critical { critical += 1 }
        }

        mutating func raise(to other: Self) {
            warning = max(warning, other.warning)
            critical = max(critical, other.critical)
        }

        func exceeds(_ other: Self, at level: PressureLevel) -> Bool {
            level == .critical ? critical > other.critical : warning > other.warning
        }
    }

    private struct Round {
        let number: UInt64
        /// Whose rule the caches have followed.
        var level = PressureLevel.normal
        var hosts: Set<UInt64> = []
        var wanted: UInt64 = 0
        /// By controllers and caches; while caches are at work, what they were asked for.
        var given: UInt64 = 0
    }

    /// A slow host may be some rounds behind, but not as many as these.
    private static let rememberedRounds = 8

    /// In the order in which they were made.
    private var hosts: [Host] = []
    private var lastHost: UInt64 = 0
    /// The highest counts of any host.
    private var answered = Counts()
    /// The oldest first.
    private var rounds: [Round] = []

    // MARK: Hosts

    /// Adds a host, and returns what it is known by from now on.
    mutating func join() -> UInt64 {
        lastHost += 1
        hosts.append(Host(id: lastHost))
        return lastHost
    }

    /// Forgets a host, and tells whether pressure ends with it.
    mutating func leave(_ id: UInt64) -> Bool {
        guard let index = hosts.firstIndex(where: { $0.id == id }) else { return false }
        let host = hosts.remove(at: index)
        answered = Counts()
        for host in hosts { answered.raise(to: host.heard) }
        return host.level > .normal && endIfNormal()
    }

    /// Notes whether a host runs.
    mutating func setRunning(_ isRunning: Bool, for id: UInt64) {
        change(id) { $0.isRunning = isRunning }
    }

    /// Notes a host's level after a delivery, and tells whether the process is back to normal, for the first time or still.
    mutating func settle(_ id: UInt64, at level: PressureLevel) -> Bool {
        change(id) { $0.level = level }
        return endIfNormal()
    }

    /// Whether a host runs, and so passes warnings on.
    var hasRunningHost: Bool { hosts.contains(where: \.isRunning) }

    /// The host that says what the caches could give back: the oldest that runs; if none does, the oldest.
    func isSpeaker(_ id: UInt64) -> Bool { speaker?.id == id }

    private var speaker: Host? { hosts.first(where: \.isRunning) ?? hosts.first }

    private mutating func endIfNormal() -> Bool {
        guard hosts.allSatisfy({ $0.level == .normal }) else { return false }
        answered = Counts()
        for index in hosts.indices { hosts[index].heard = Counts() }
        return true
    }

    private mutating func change(_ id: UInt64, _ body: (inout Host) -> Void) {
        guard let index = hosts.firstIndex(where: { $0.id == id }) else { return }
        body(&hosts[index])
    }

    // MARK: Warnings

    /// Notes a warning, and tells what the caches are to do for it.
    ///
    /// - Parameters:
    ///   - request: The warning, of a raised level.
    ///   - id: The host that passes it on.
    ///   - released: What the host's controllers gave for it.
    /// - Returns: The caches' part.
    mutating func hear(_ request: ReclaimRequest, from id: UInt64, released: UInt64) -> Part {
        let isNews = !request.isSimulated && count(request.level, for: id)
        guard request.round == 0 else { return answer(request, from: id, released: released) }
        let wanted = request.bytesWanted > released ? request.bytesWanted - released : 0
        if request.isSimulated || isNews { return .level(bytes: request.bytesWanted == 0 ? nil : wanted) }
        return wanted == 0 ? .nothing : .bytes(wanted)
    }

    /// Notes what the caches gave in a round for their part.
    mutating func didGive(_ bytes: UInt64, for part: Part, in round: UInt64) {
        guard let index = rounds.lastIndex(where: { $0.number == round }) else { return }
        let others = rounds[index].given - min(rounds[index].given, part.bytes)
        rounds[index].given = others.addingSaturated(bytes)
    }

    /// Counts a warning that is no simulation, and tells whether it is news.
    private mutating func count(_ level: PressureLevel, for id: UInt64) -> Bool {
        guard let index = hosts.firstIndex(where: { $0.id == id }) else { return true }
        hosts[index].level = level
        hosts[index].heard.count(level)
        defer { answered.raise(to: hosts[index].heard) }
        return hosts[index].heard.exceeds(answered, at: level)
    }

    private mutating func answer(_ request: ReclaimRequest, from id: UInt64, released: UInt64) -> Part {
        let leavesRuleToSpeaker = leavesRuleToSpeaker(request, from: id)
        var round = takeRound(request.round, heardBy: id)
        round.wanted = round.wanted.addingSaturated(request.bytesWanted)
        round.given = round.given.addingSaturated(released)
        let missing = round.wanted - min(round.wanted, round.given)
        let part: Part
        if request.level <= round.level {
            part = missing == 0 ? .nothing : .bytes(missing)
        } else if leavesRuleToSpeaker {
            part = .bytes(missing)
        } else {
            round.level = request.level
            part = .level(bytes: round.wanted == 0 ? nil : missing)
        }
        round.given = round.given.addingSaturated(part.bytes)
        rounds.append(round)
        return part
    }

    /// Takes a round out, or begins it.
    ///
    /// A host hears of each round once. What it hears of again is another daemon's, with an old number.
    private mutating func takeRound(_ number: UInt64, heardBy id: UInt64) -> Round {
        var round = Round(number: number)
        if let index = rounds.lastIndex(where: { $0.number == number && !$0.hosts.contains(id) }) {
            round = rounds.remove(at: index)
        } else if rounds.count == Self.rememberedRounds {
            rounds.removeFirst()
        }
        round.hosts.insert(id)
        return round
    }

    /// Whether the speaker will say how much is wanted of the caches, as the daemon asks those that have something to give.
    ///
    /// Not if the last round did not reach it.
    private func leavesRuleToSpeaker(_ request: ReclaimRequest, from id: UInt64) -> Bool {
        guard request.level == .warning, request.bytesWanted == 0, !request.isSimulated,
            let speaker, speaker.id != id, speaker.isRunning
        else { return false }
        return rounds.last { $0.number != request.round }?.hosts.contains(speaker.id) ?? true
    }
}
