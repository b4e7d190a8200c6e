import CLinux
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import MemwarnSettings
import Systemd
import WarningPolicy

/// `memwarnd run`.
struct Run {
    private let options: RunOptions

    init(_ options: RunOptions) {
        self.options = options
    }

    /// Serves until the daemon is ended.
    func serve() throws(Failure) -> ExitStatus {
        // Neither a closed pipe at standard error may end the daemon, nor a log file at the limit of its size.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        keep_heap_small()
        if let owner = options.owner { try endWith(owner) }
        // Comes first, because it takes the descriptors that are already open.
        let inheritance = try inherit()
        let reading = ConfigurationReading(of: options.config)
        let sockets = try listen(reading.configuration, inheritance)
        let daemon = try makeDaemon(reading, sockets, inheritance)
        // Closes the sockets that it created.
        defer { daemon.end() }
        if let failure = daemon.failure, options.owner == nil {
            throw .software("nothing can be watched here, is PSI switched off (boot with psi=1)? \(failure)")
        }
        daemon.log.started()
        daemon.log.opened("native socket", at: sockets.native.path)
        daemon.configurationPath = options.config ?? Settings.systemPath
        daemon.load = { [options] in ConfigurationReading(of: options.config) }
        // The reading ends here: freeing it runs code that nothing else needs.
        let locksMemory = (consume reading).configuration.locksMemory
        StartupCode.release()
        if locksMemory { lockMemory(daemon) }
        Rehearsal.run(daemon.sensors.kernel)
        daemon.scheduleShrinking()
        do throws(SystemdError) {
            return ExitStatus(rawValue: try daemon.run())
        } catch {
            throw .software("\(error)")
        }
    }

    private func makeDaemon(
        _ reading: ConfigurationReading,
        _ sockets: ListeningSockets,
        _ inheritance: Inheritance
    ) throws(Failure) -> Daemon {
        do throws(SystemdError) {
            return try Daemon(
                configuration: reading.configuration,
                problems: reading.problems,
                kernel: options.kernelRoot.map(KernelTree.init(root:)) ?? .live,
                sockets: sockets,
                bus: .of(instanceAt: sockets.native.path),
                inheritance: inheritance,
                journal: Journal(prefix: "memwarnd: ", minimum: leastPriority),
                storePatience: options.storePatience.map { .seconds($0) } ?? StorePolicy.patience
            )
        } catch {
            throw .software("\(error)")
        }
    }

    private var leastPriority: Journal.Priority {
        options.owner != nil ? .warning : .info
    }

    /// Makes the kernel end this process when its parent ends; the parent has to be `parent`.
    private func endWith(_ owner: Int) throws(Failure) {
        // Checked after the first line: if the parent ended before that, the kernel sends no signal.
        guard prctl(PR_SET_PDEATHSIG, UInt(SIGTERM)) == 0, getppid() == owner else {
            throw .software("process \(owner), for which this daemon was started, has ended")
        }
    }

    private func inherit() throws(Failure) -> Inheritance {
        do throws(SystemdError) {
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
                path: options.socket ?? configuration.socket ?? SocketLocation.toListen
            )
        } catch {
            switch error.errno {
            case EADDRINUSE: throw .unavailable("another daemon listens there already: \(error)")
            case EACCES, EPERM, EROFS: throw .notPermitted("\(error); choose another place with --socket")
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: throw .software("\(error)")
            default: throw .cannotCreate("\(error); choose another place with --socket")
            }
        }
    }
}
