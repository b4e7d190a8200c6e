internal import MemoryPressure

/// The warnings that the hosts of one process have passed on, and the bytes that their shared caches gave: a pure
/// value.
///
/// Every host of a process receives the same shortage, so:
///
/// - **A warning without a number**, from the kernel, is counted for its host. It is new if the host has passed on more
///   warnings of that level and above than any host before it: if each host receives one event, the caches shrink once,
///   and at a repetition once more, whichever host is first.
/// - **A round** is identified by its daemon's socket and its number, which a daemon does not repeat after a restart.
///   Caches apply the level's rule once per round; the bytes wanted of its hosts add up, and so do the bytes that the
///   hosts and the caches gave.
/// - **A fall of resident memory** is the process's, and each byte of it is reported by one host.
/// - **A simulation by the program itself** always takes effect.
///
/// Pressure ends when no host is at a raised level any more; then counting starts again. The first host at `normal` is
/// not enough: another may watch another scope. A host that is destroyed or stops running does not count, so no host
/// can keep caches small for ever.
struct SharedWarnings {
    /// The caches' part of one warning of one host.
    enum Part: Hashable {
        /// Nothing: the warning is answered already.
        case nothing
        /// The level's share, and a number of bytes if there is one.
        case level(bytes: UInt64?)
        /// A number of bytes, without growth.
        case bytes(UInt64)

        /// The bytes wanted.
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
        /// The level of the last warning that was not a simulation.
        var level = PressureLevel.normal
        var isRunning = false
        /// The socket of the daemon that the host is registered with.
        var daemon: String?
        var counts = Counts()
    }

    /// The numbers of warnings without a number of bytes, by level.
    private struct Counts {
        /// Includes those at critical.
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

        mutating func lower(to other: Self) {
            warning = min(warning, other.warning)
            critical = min(critical, other.critical)
        }

        func exceeds(_ other: Self, at level: PressureLevel) -> Bool {
            level == .critical ? critical > other.critical : warning > other.warning
        }
    }

    private struct Round {
        let number: UInt64
        let daemon: String?
        /// The level whose rule the caches have applied.
        var level = PressureLevel.normal
        var hosts: Set<UInt64> = []
        var wanted: UInt64 = 0
        /// The bytes given by controllers and caches; while caches are shrinking, the bytes wanted of them.
        var given: UInt64 = 0
        /// The highest and the lowest size of the process's resident set that hosts have seen with a fall.
        var residentBefore: UInt64 = 0
        var residentAfter = UInt64.max
        /// The fall that hosts have reported together: at most the difference of the two.
        var residentFreed: UInt64 = 0
    }

    /// A slow host may be a few rounds of its daemon behind, but fewer than these.
    private static let rememberedRounds = 8

    /// In order of creation.
    private var hosts: [Host] = []
    private var lastHost: UInt64 = 0
    /// The highest counts among all hosts.
    private var answered = Counts()
    /// The oldest first.
    private var rounds: [Round] = []

    // MARK: Hosts

    /// Adds a host, and returns its number.
    mutating func join() -> UInt64 {
        lastHost += 1
        hosts.append(Host(id: lastHost))
        return lastHost
    }

    /// Removes a host, and returns whether pressure ends with it.
    mutating func leave(_ id: UInt64) -> Bool {
        guard let index = hosts.firstIndex(where: { $0.id == id }) else { return false }
        let host = hosts.remove(at: index)
        forgetLeads()
        return host.level > .normal && endIfNormal()
    }

    /// Sets the raised level of a host whose delivery begins: until ``settle(_:at:)`` pressure does not end.
    mutating func rise(_ id: UInt64, to level: PressureLevel) {
        change(id) { $0.level = level }
    }

    /// Sets whether a host runs.
    mutating func setRunning(_ isRunning: Bool, for id: UInt64) {
        change(id) { $0.isRunning = isRunning }
    }

    /// Sets the daemon that a host is registered with, by its socket.
    mutating func setDaemon(_ daemon: String?, for id: UInt64) {
        change(id) { $0.daemon = daemon }
    }

    /// Sets a host's level after a delivery, and returns whether the process is at `normal`, newly or still.
    mutating func settle(_ id: UInt64, at level: PressureLevel) -> Bool {
        change(id) { $0.level = level }
        if level == .normal { forgetLeads() }
        return endIfNormal()
    }

    /// Takes back the warnings that hosts which have left, or are at `normal`, have passed on before all others: they would
    /// not be new to the caches when the others pass them on.
    private mutating func forgetLeads() {
        answered = Counts()
        for host in hosts where host.level > .normal { answered.raise(to: host.counts) }
        for index in hosts.indices where hosts[index].level == .normal { hosts[index].counts.lower(to: answered) }
    }

    /// Whether a host runs, and so passes warnings.
    var hasRunningHost: Bool { hosts.contains(where: \.isRunning) }

    /// Whether this host reports the caches' releasable bytes: the oldest running host does; if none runs, the oldest.
    func isSpeaker(_ id: UInt64) -> Bool { speaker?.id == id }

    /// The highest level of all hosts.
    var level: PressureLevel { hosts.reduce(.normal) { max($0, $1.level) } }

    private var speaker: Host? { hosts.first(where: \.isRunning) ?? hosts.first }

    private mutating func endIfNormal() -> Bool {
        guard level == .normal else { return false }
        answered = Counts()
        for index in hosts.indices { hosts[index].counts = Counts() }
        return true
    }

    private func daemon(of id: UInt64) -> String? { hosts.first { $0.id == id }?.daemon }

    private mutating func change(_ id: UInt64, _ body: (inout Host) -> Void) {
        guard let index = hosts.firstIndex(where: { $0.id == id }) else { return }
        body(&hosts[index])
    }

    // MARK: Warnings

    /// Records a warning, and returns the caches' part of it.
    ///
    /// - Parameters:
    ///   - request: The warning, of a raised level.
    ///   - id: The host that passes it.
    ///   - released: The bytes that the host's controllers gave for it.
    /// - Returns: The caches' part.
    mutating func record(_ request: ReclaimRequest, from id: UInt64, released: UInt64) -> Part {
        let isNew = !request.isSimulated && count(request.level, for: id)
        guard request.round == 0 else { return answer(request, from: id, released: released) }
        let wanted = request.bytesWanted > released ? request.bytesWanted - released : 0
        if request.isSimulated || isNew { return .level(bytes: request.bytesWanted == 0 ? nil : wanted) }
        return wanted == 0 ? .nothing : .bytes(wanted)
    }

    /// Records the bytes that the caches gave for a host's part of a round.
    mutating func didGive(_ bytes: UInt64, for part: Part, of id: UInt64, in round: UInt64) {
        guard let index = index(of: round, of: id) else { return }
        let others = rounds[index].given - min(rounds[index].given, part.bytes)
        rounds[index].given = others.addingSaturated(bytes)
    }

    /// Records the fall of the process's resident set during a host's delivery, and returns where the host's own part of
    /// it began: all hosts of the process see the same fall, and together they report each byte once in a round.
    mutating func reportFall(from before: UInt64, to after: UInt64, of id: UInt64, in round: UInt64) -> UInt64 {
        guard before > after, let index = index(of: round, of: id) else { return before }
        rounds[index].residentBefore = max(rounds[index].residentBefore, before)
        rounds[index].residentAfter = min(rounds[index].residentAfter, after)
        let seen = rounds[index].residentBefore - rounds[index].residentAfter
        // At most this host's own fall: the process may have grown between two hosts.
        let own = min(seen - rounds[index].residentFreed, before - after)
        rounds[index].residentFreed += own
        return after + own
    }

    /// The index of a round that a host has received from its present daemon.
    private func index(of round: UInt64, of id: UInt64) -> Int? {
        let daemon = daemon(of: id)
        return rounds.lastIndex { $0.number == round && $0.daemon == daemon && $0.hosts.contains(id) }
    }

    /// Counts a warning that is not a simulation, and returns whether it is new.
    private mutating func count(_ level: PressureLevel, for id: UInt64) -> Bool {
        guard let index = hosts.firstIndex(where: { $0.id == id }) else { return true }
        hosts[index].level = level
        hosts[index].counts.count(level)
        defer { answered.raise(to: hosts[index].counts) }
        return hosts[index].counts.exceeds(answered, at: level)
    }

    private mutating func answer(_ request: ReclaimRequest, from id: UInt64, released: UInt64) -> Part {
        let leavesRuleToSpeaker = leavesRuleToSpeaker(request, from: id)
        var round = takeRound(request.round, from: id)
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

    /// Removes and returns a round, or begins it.
    ///
    /// A host receives each round once. A repeated number belongs to a later round, of a sender that counts from 1 again.
    private mutating func takeRound(_ number: UInt64, from id: UInt64) -> Round {
        var round = Round(number: number, daemon: daemon(of: id))
        if let index = rounds.lastIndex(where: {
            $0.number == number && $0.daemon == round.daemon && !$0.hosts.contains(id)
        }) {
            round = rounds.remove(at: index)
        } else if rounds.count(where: { $0.daemon == round.daemon }) == Self.rememberedRounds {
            if let oldest = rounds.firstIndex(where: { $0.daemon == round.daemon }) { rounds.remove(at: oldest) }
        }
        round.hosts.insert(id)
        return round
    }

    /// Whether the speaker will receive the bytes wanted of the caches, because the daemon asks hosts that have
    /// something to give.
    ///
    /// It will not if it is registered with another daemon, or if this daemon's last round did not reach it.
    private func leavesRuleToSpeaker(_ request: ReclaimRequest, from id: UInt64) -> Bool {
        guard request.level == .warning, request.bytesWanted == 0, !request.isSimulated,
            let speaker, speaker.id != id, let daemon = daemon(of: id), speaker.daemon == daemon
        else { return false }
        let last = rounds.last { $0.daemon == daemon && $0.number != request.round }
        return last?.hosts.contains(speaker.id) ?? true
    }
}
