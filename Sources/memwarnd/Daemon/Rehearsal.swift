import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import WarningPolicy

/// Runs the code of a warning once, before the first real one.
///
/// Code that has not run yet is read from the disk, page by page, and under pressure all processes wait for the disk:
/// the first warning would take a quarter of a second. Afterwards the code is in memory, and stays there if memory is
/// locked.
enum Rehearsal {
    /// Makes a separate daemon that finds the host critical, warns a host, processes its answer, and logs that.
    ///
    /// It has no effect outside: no journal gets its entries, no service manager is told, no host is warned. It takes a
    /// few milliseconds.
    ///
    /// - Returns: The round, or `nil` if it was not completed; the first real one then takes longer.
    @discardableResult
    static func run(_ kernel: KernelTree) -> RoundRecord? {
        guard let socket = try? ListeningSocket(),
            let daemon = try? Daemon(
                configuration: configuration,
                kernel: kernel,
                sockets: ListeningSockets(native: socket),
                // No journal listens there.
                journal: Journal(socket: "/dev/null"),
                isService: false,
                rights: ControlRights(group: nil)
            )
        else { return nil }
        defer { daemon.end() }
        var ends: [CInt] = [-1, -1]
        let type = CInt(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { return nil }
        let host = FrameSocket(taking: Descriptor(taking: ends[0]))
        guard let peer = daemon.door.adopt(Descriptor(taking: ends[1])) else { return nil }
        daemon.register(peer, Hello(name: "rehearsal"), as: 1, sequence: 1, waits: true)

        var over: RoundRecord?
        daemon.roundEnded = { round in
            over = round
            daemon.loop.exit(code: 0)
        }
        // The inputs when a trigger fires, and when limits have moved.
        daemon.feed(.fired(.wholeHost, .stalls(.some)))
        daemon.feed(.limitsMoved(.wholeHost))
        // Without a round, no handler would end the loop.
        guard daemon.policy.rounds.count > 0 else { return nil }
        let answer = Acknowledgement(released: 0, residentBefore: 0, residentAfter: 0, duration: 0, releasable: 0)
        let frame = Frame(sequence: daemon.policy.rounds.lastID, message: .acknowledgement(answer))
        guard (try? host.send(frame)) == .sent, (try? daemon.loop.run()) != nil else { return nil }
        daemon.log.flush()
        return over
    }

    /// Every reading is critical.
    private static var configuration: Settings {
        var configuration = Settings()
        configuration.levels.warning = .zero
        configuration.levels.critical = .zero
        configuration.levels.needsReclaim = false
        // The kernel refuses these triggers, so the daemon polls, which is what this needs.
        configuration.stalls.some = .zero
        configuration.stalls.full = .zero
        configuration.settle = .zero
        configuration.deadline = .milliseconds(100)
        configuration.criticalDeadline = .milliseconds(100)
        configuration.locksMemory = false
        configuration.pressureSocket = .off
        return configuration
    }
}
