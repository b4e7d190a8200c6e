import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import Systemd
import WarningPolicy

extension DeferredLog {
    func started() {
        entry(.started, "memwarnd \(Version.current) started", [("MEMWARND_VERSION", Version.current)])
    }

    func stopped() {
        entry(.stopped, "memwarnd stops on request")
    }

    /// A new configuration is in force.
    func reloaded(_ files: String) {
        let message = "the configuration was read again: \(files) and \(files).d"
        entry(.reloaded, message, [("MEMWARND_CONFIGURATION", files)])
    }

    /// A new configuration was refused, and the old one is still in force.
    func reloadFailed(_ reason: String) {
        entry(.reloadFailed, "the configuration stays as it was: \(reason)", [("MEMWARND_REASON", reason)])
    }

    /// A mistake in a configuration file; the daemon started without that file.
    func leftOut(_ mistake: String) {
        let message = "a file of the configuration is left out as a whole: \(mistake)"
        entry(.configurationIgnored, message, [("MEMWARND_REASON", mistake)])
    }

    /// Hosts can connect to a door, at a path or under a name.
    func opened(_ door: String, at place: String) {
        entry(.doorOpened, "the \(door) listens on \(place)", [("MEMWARND_DOOR", door), ("MEMWARND_PLACE", place)])
    }

    /// A door was closed, and the daemon continues without it.
    func closed(_ door: String, _ reason: String) {
        entry(.doorClosed, "the \(door) is closed: \(reason)", [("MEMWARND_DOOR", door), ("MEMWARND_REASON", reason)])
    }

    /// A door cannot be opened here, and the daemon continues without it.
    func unavailable(_ door: String, _ reason: String) {
        entry(
            .doorUnavailable,
            "the \(door) is not available: \(reason)",
            [("MEMWARND_DOOR", door), ("MEMWARND_REASON", reason)]
        )
    }

    /// A scope's level, new or announced again, with its figures as fields.
    func level(of scope: ScopeEntry, isRepeat: Bool) {
        let reason = scope.reason
        let fields: [Journal.Field] = [
            ("MEMWARND_SCOPE", scope.path),
            ("MEMWARND_LEVEL", "\(scope.level)"),
            ("MEMWARND_SOURCE", "\(reason.source)"),
            ("MEMWARND_PERCENT", reason.figure.digits),
        ]
        let level = isRepeat ? "still \(scope.level)" : "\(scope.level)"
        entry(.levelChanged, "memory pressure of \(scope.path) is \(level): \(reason)", fields)
    }

    /// The outcome of a round: the ledger's row.
    ///
    /// `withheld`, here and below, is the number of entries that were withheld before this one, since users caused too many.
    func round(_ record: RoundRecord, withheld: UInt64) {
        let outcome =
            record.options.contains(.answerWanted)
            ? """
            \(counted(record.hosts, "host")), \(record.answered) answered, \(record.silent) silent, \
            \(record.undeliverable > 0 ? "\(record.undeliverable) undeliverable, " : "")\
            \(ByteCount(record.released)) released in \(Milliseconds(microseconds: record.duration))
            """ : "\(counted(record.hosts, "host")) told"
        let kind =
            record.options.contains(.simulated)
            ? " (simulated)" : record.options.contains(.repeated) ? " (again)" : ""
        let message = """
            round \(record.id), \(record.level)\(kind), \(record.scope): \
            \(outcome)\(Self.others(withheld))
            """
        let fields: [Journal.Field] = [
            ("MEMWARND_ROUND", "\(record.id)"),
            ("MEMWARND_LEVEL", "\(record.level)"),
            ("MEMWARND_SCOPE", record.scope),
            ("MEMWARND_HOSTS", "\(record.hosts)"),
            ("MEMWARND_ANSWERED", "\(record.answered)"),
            ("MEMWARND_SILENT", "\(record.silent)"),
            ("MEMWARND_UNDELIVERABLE", "\(record.undeliverable)"),
            ("MEMWARND_UNACKNOWLEDGED", "\(record.unacknowledged)"),
            ("MEMWARND_RELEASED_BYTES", "\(record.released)"),
            ("MEMWARND_RESIDENT_FREED_BYTES", "\(record.residentFreed)"),
            ("MEMWARND_USED_BEFORE_BYTES", "\(record.usedBefore)"),
            ("MEMWARND_USED_AFTER_BYTES", "\(record.usedAfter)"),
            ("MEMWARND_DURATION_USEC", "\(record.duration)"),
            ("MEMWARND_WITHHELD", "\(withheld)"),
        ]
        entry(.roundOver, message, fields)
    }

    /// A cgroup can no longer be watched.
    func lost(_ path: String, hosts: Int, withheld: UInt64) {
        let fields: [Journal.Field] = [
            ("MEMWARND_SCOPE", path),
            ("MEMWARND_HOSTS", "\(hosts)"),
            ("MEMWARND_WITHHELD", "\(withheld)"),
        ]
        let message = "\(path) cannot be watched any more: it was removed, or its accounting switched off"
        entry(.scopeLost, message + Self.others(withheld), fields)
    }

    /// The whole host can no longer be watched.
    func hostLost() {
        entry(.hostLost, "the machine's memory pressure cannot be read any more")
    }

    /// `/proc` hides the processes of other users from this process.
    func processesHidden() {
        entry(
            .processesHidden,
            "/proc hides the processes of other users: their hosts are warned of the whole machine's pressure only; "
                + KernelTree.adviceToShowProcesses
        )
    }

    /// A peer was disconnected.
    func refused(_ peer: FrameSocket.Peer?, _ refusal: Refusal, withheld: UInt64) {
        let name = peer.map { "pid \($0.pid) of uid \($0.uid)" } ?? "a newcomer"
        let fields: [Journal.Field] = [
            ("MEMWARND_PEER", name),
            ("MEMWARND_CODE", "\(refusal.code.rawValue)"),
            ("MEMWARND_REASON", refusal.message),
            ("MEMWARND_WITHHELD", "\(withheld)"),
        ]
        entry(.refused, "refused \(name): \(refusal.message)\(Self.others(withheld))", fields)
    }

    /// A client sends a command to hosts; `target` is the name of the first of them.
    func command(_ name: String, to target: String, hosts: Int, pid: UInt32, uid: UInt32, withheld: UInt64) {
        let names = hosts == 1 ? target : "\(hosts) hosts"
        let peer = "pid \(pid) of uid \(uid)"
        let fields: [Journal.Field] = [
            ("MEMWARND_COMMAND", name),
            ("MEMWARND_HOSTS", "\(hosts)"),
            ("MEMWARND_TARGET", names),
            ("MEMWARND_PEER", peer),
            ("MEMWARND_WITHHELD", "\(withheld)"),
        ]
        let message = "\(peer) sends “\(name)” to \(names)\(Self.others(withheld))"
        entry(.commandSent, message, fields)
    }

    private static func others(_ withheld: UInt64) -> String {
        withheld > 0 ? "; " + String(withheld) + " others were withheld before" : ""
    }
}
