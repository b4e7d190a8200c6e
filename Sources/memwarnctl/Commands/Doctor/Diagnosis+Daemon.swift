import MemoryPressure
import MemwarnProgram
import MemwarnProtocol

extension Diagnosis {
    /// A busy machine may have more services than this number of hosts.
    private static let fewHosts = 1_000

    /// The limits of a process started here.
    static func process(_ seen: Surroundings) -> [Finding] {
        [descriptors(seen), locking(seen)]
    }

    private static func descriptors(_ seen: Surroundings) -> Finding {
        guard let limit = seen.descriptorLimit else { return .good("descriptors", "as many as wanted") }
        let own = UInt64(ResourceLimit.ownDescriptors)
        let hosts = limit > own ? limit - own : 0
        let sentence = "\(limit), enough for \(counted(hosts, "host"))"
        return hosts < fewHosts
            ? .degraded(
                "descriptors",
                sentence,
                "LimitNOFILE=65536 in the unit, as the packaged one has"
            )
            : .good("descriptors", sentence)
    }

    private static func locking(_ seen: Surroundings) -> Finding {
        if Capabilities.have(Capabilities.lockMemory, in: seen.capabilities) {
            return .good("memory locking", "all memory, with CAP_IPC_LOCK")
        }
        guard let limit = seen.lockLimit else { return .good("memory locking", "all memory") }
        return .degraded(
            "memory locking",
            "\(ByteCount(limit)): under a limit the daemon locks nothing, since some later allocation would fail",
            "CAP_IPC_LOCK or LimitMEMLOCK=infinity in the unit: the daemon has to work while all else is swapped"
        )
    }

    /// The findings about a running daemon, if there is one.
    static func daemon(_ seen: Surroundings) -> [Finding] {
        switch seen.daemon {
        case .failure(let failure):
            return [
                .degraded(
                    "daemon",
                    failure.message.prefix(while: { $0 != ";" }).description,
                    "systemctl start memwarnd, or memwarnd run"
                )
            ]
        case .success(let snapshot):
            let daemon = snapshot.daemon
            let sentence = """
                version \(daemon.version.escapedForDisplay), pid \(daemon.pid), \
                up \(Age(milliseconds: daemon.uptime)), level \(daemon.level)
                """
            let finding: Finding =
                daemon.version == Version.current
                ? .good("daemon", sentence)
                : .degraded("daemon", sentence, "restart it: this is version \(Version.current)")
            return [finding] + configuration(daemon.refusal) + scopes(snapshot.scopes) + allocators(snapshot.hosts)
        }
    }

    /// The parts of the configuration that a daemon does not use.
    private static func configuration(_ refusal: String) -> [Finding] {
        guard !refusal.isEmpty else { return [] }
        let advice = """
            “memwarnd config check”, with the daemon's --config FILE if it has one, lists every mistake; correct them \
            and reload the daemon
            """
        return [.degraded("configuration", refusal.escapedForDisplay, advice)]
    }

    /// How a daemon's scopes are watched: one finding for all scopes with the same rung and reason.
    private static func scopes(_ scopes: [ScopeRecord]) -> [Finding] {
        struct Watch: Hashable {
            let rung: ScopeRecord.Rung
            let reason: String
        }
        let groups = Dictionary(grouping: scopes) { Watch(rung: $0.rung, reason: $0.rungReason) }
        // The best rung first; `none` is the worst.
        return groups.sorted { height($0.key.rung) < height($1.key.rung) }.map { watch, scopes in
            let paths = list(scopes.map(\.path.escapedForDisplay))
            let reason = watch.reason.escapedForDisplay
            let advice = reason.isEmpty ? "see memwarnd status" : reason
            return switch watch.rung {
            case .privileged: .good("scopes", "\(paths): \(watch.rung)")
            case .none: .bad("scopes", "\(paths): not watched", advice)
            default: .degraded("scopes", "\(paths): \(watch.rung)", advice)
            }
        }
    }

    /// The allocators of the hosts: one finding for each allocator.
    private static func allocators(_ hosts: [HostRecord]) -> [Finding] {
        let groups = Dictionary(grouping: hosts.filter { $0.state == .present }, by: \.allocator)
        return HostAllocator.allCases.compactMap { allocator in
            guard let name = allocator.name, let hosts = groups[allocator] else { return nil }
            let sentence = "\(name): \(list(hosts.map(\.name.escapedForDisplay)))"
            return switch allocator {
            case .other:
                .degraded("allocators", sentence, "what these free stays with an allocator that they cannot ask for it")
            case .mimalloc:
                .degraded("allocators", sentence, "what one thread took and another freed stays, and is not claimed")
            case .unstated, .glibc, .jemalloc, .tcmalloc: .good("allocators", sentence)
            }
        }
    }

    /// The first three of some names.
    private static func list(_ names: [String]) -> String {
        names.prefix(3).joined(separator: ", ") + (names.count > 3 ? " and \(names.count - 3) more" : "")
    }

    private static func height(_ rung: ScopeRecord.Rung) -> Int {
        rung == .none ? .max : Int(rung.rawValue)
    }

    /// The environment variables that change where programs look for a daemon.
    static func environment(_ seen: Surroundings) -> [Finding] {
        let socket = seen.variables[SocketLocation.variable].map { value -> Finding in
            let sentence = "\(value.escapedForDisplay): daemon, services and commands use this socket only"
            return .good("$\(SocketLocation.variable)", sentence)
        }
        let watch = seen.variables[Surroundings.watchVariable].map { value -> Finding in
            let name = "$\(Surroundings.watchVariable)"
            guard value.isEmpty || value == "/dev/null" else {
                return .good(name, "\(value.escapedForDisplay): programs of systemd's protocol listen there")
            }
            return .degraded(name, "without a daemon, programs started from here hear of no pressure", "unset it")
        }
        return [
            socket ?? .good("$\(SocketLocation.variable)", "not set: the usual places are looked at"),
            watch ?? .good("$\(Surroundings.watchVariable)", "not set: services connect to a daemon"),
        ]
    }
}
