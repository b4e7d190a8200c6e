import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import WarningPolicy

/// Goes through a warning once, before the first real one.
///
/// Code that has not run yet comes from the disk, page by page, and under pressure all processes wait for the disk: the first
/// warning would take a quarter of a second. After this it is in memory, and stays there where memory is locked.
enum Rehearsal {
    /// Has a daemon of its own find the host critical, warn a host, and take its answer in.
    ///
    /// Nothing outside hears of it: no journal, no service manager, no host. It takes a few milliseconds.
    ///
    /// - Returns: the round, or `nil` where it did not get that far; then the first real one takes longer.
    @discardableResult
    static func run(_ kernel: KernelTree = .live) -> RoundRecord? {
        guard let socket = try? ListeningSocket(),
            let daemon = try? Daemon(
                configuration: configuration,
                kernel: kernel,
                sockets: ListeningSockets(native: socket),
                journal: Journal(minimum: .error),
                isService: false
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
        // What it does when a trigger fires, and when a pause is over.
        daemon.feed(.fired(.wholeHost, .stalls(.some)))
        daemon.feed(.limitsMoved(.wholeHost))
        // Without a round the loop would have nothing to end it.
        guard daemon.policy.rounds.lastID > 0 else { return nil }
        let answer = Acknowledgement(released: 0, residentBefore: 0, residentAfter: 0, duration: 0, releasable: 0)
        let frame = Frame(sequence: daemon.policy.rounds.lastID, message: .acknowledgement(answer))
        guard (try? host.send(frame)) == .sent, (try? daemon.loop.run()) != nil else { return nil }
        return over
    }

    /// Every reading is critical.
    private static var configuration: Settings {
        var configuration = Settings()
        configuration.levels.warning = .zero
        configuration.levels.critical = .zero
        configuration.levels.needsReclaim = false
        // The kernel takes no such triggers. That leaves reading by hand, which is wanted here.
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
