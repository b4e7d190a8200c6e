import ArgumentParser
import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import WarningPolicy

/// `memwarnd run`.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Start the daemon in the foreground.",
        discussion: """
            Runs until SIGTERM or SIGINT; SIGHUP has it read its configuration anew. Under systemd it reports readiness and \
            its level, feeds the watchdog, takes over the socket of a socket unit, keeps its hosts over a restart and logs to \
            the journal; without systemd it logs to standard error.

            The configuration is \(Settings.systemPath) and the drop-ins in \(Settings.systemPath).d; \
            “memwarnd config” checks and shows it.

            Exit codes: 0 ended as asked, 1 nothing can be watched here, 69 another daemon is there, \
            77 not permitted, 78 the configuration is refused.
            """
    )

    @Option(help: ArgumentHelp("Listen on this socket.", valueName: "path"))
    var socket: String?

    @Option(help: ArgumentHelp("Read this file, and its FILE.d, instead of the system's.", valueName: "file"))
    var config: String?

    @Flag(name: .shortAndLong, help: "Log more.")
    var verbose = false

    // For tests: a directory with a made-up kernel's files.
    @Option(help: .private)
    var kernelRoot: String?

    // For tests: after how many seconds the service manager is given a host.
    @Option(help: .private)
    var storePatience: Int?

    func run() {
        Failure.reported { () throws(Failure) in try serve() }
    }

    private func serve() throws(Failure) -> ExitStatus {
        // A closed pipe at standard error is no reason to end.
        signal(SIGPIPE, SIG_IGN)
        // First, because it says what the descriptors are that are open already.
        let inheritance = try inherit()
        let configuration = try loadConfiguration()
        let sockets = try listen(configuration, inheritance)
        do {
            let daemon = try Daemon(
                configuration: configuration,
                kernel: kernelRoot.map(KernelTree.init(root:)) ?? .live,
                sockets: sockets,
                bus: configuration.offersLowMemoryMonitor ? .of(instanceAt: sockets.native.path) : nil,
                inheritance: inheritance,
                journal: Journal(prefix: "memwarnd: ", minimum: verbose ? .debug : .info),
                storePatience: storePatience.map { .seconds($0) } ?? StorePolicy.patience
            )
            if let failure = daemon.failure {
                throw Failure.software("nothing can be watched here, is PSI switched off (boot with psi=1)? \(failure)")
            }
            daemon.log.started()
            daemon.log.opened("native socket", at: sockets.native.path)
            daemon.configurationPath = config ?? Settings.systemPath
            daemon.load = loadConfiguration
            StartupCode.release()
            if configuration.locksMemory { lockMemory(daemon) }
            Rehearsal.run()
            return ExitStatus(rawValue: try daemon.run())
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .software("\(error)")
        }
    }

    private func loadConfiguration() throws(Failure) -> Settings {
        do throws(ConfigurationError) {
            return try Settings.load(config)
        } catch {
            throw Failure(error)
        }
    }

    private func inherit() throws(Failure) -> Inheritance {
        do {
            return Inheritance(try SocketActivation.inheritedSockets())
        } catch {
            throw .software("\(error)")
        }
    }

    private func lockMemory(_ daemon: Daemon) {
        do throws(KernelError) {
            try MemoryLock.take()
        } catch {
            daemon.log.notLocked("\(error)")
        }
    }

    private func listen(
        _ configuration: Settings,
        _ inheritance: Inheritance
    ) throws(Failure) -> ListeningSockets {
        do throws(KernelError) {
            return try ListeningSockets(
                inheritance: inheritance,
                path: socket ?? configuration.socket ?? SocketLocation.toListen,
                pressure: configuration.pressureSocket
            )
        } catch {
            switch error.errno {
            case EADDRINUSE: throw .unavailable("another daemon listens there already: \(error)")
            case EACCES, EPERM, EROFS: throw .notPermitted("\(error); choose another place with --socket")
            default: throw .software("\(error)")
            }
        }
    }
}
