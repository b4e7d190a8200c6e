import CLinux
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import Systemd
import WarningPolicy

extension Daemon {
    /// Performs one effect of the policy, and feeds its results back.
    func perform(_ effect: Effects.Effect, _ recipients: [Effects.Recipient]) {
        switch effect {
        case .warn(let round, let warning, let range):
            warn(round, warning, recipients[range])
        case .command(let command, let number, let range):
            send(command, number, recipients[range])
        case .awaitRoom(let connection):
            door.awaitRoom(connection)
        case .open(let scope, let place, let plan):
            sensors.open(scope, place, plan)
        case .read(let scope, let reads):
            feed(sensors.read(scope, reads))
        case .listen(let scope, let triggers):
            if !sensors.listen(scope, triggers) { feed(.deaf(scope)) }
        case .close(let scope):
            sensors.close(scope)
            scheduleShrinking()
        case .look(let scope, let round):
            feed(.looked(round: round, sensors.look(scope)))
        case .reply(let connection, let sequence, let message):
            door.send(Frame(sequence: sequence, message: message), to: connection)
        case .report(let command, let connection, let sequence, let messages):
            let peer = door.peer(connection)
            let full = messages.firstIndex { peer?.offer(Frame(sequence: sequence, message: $0)) != .sent }
            feed(.took(command: command, full ?? messages.count))
        case .noteLevel(let scope, let change):
            note(scope, change)
        case .noteRound(let record, let withheld):
            publish(.round(record))
            if let withheld { log.round(record, withheld: withheld) }
            scheduleStatus()
            roundEnded(record)
        case .noteLoss(let path, let hosts, let withheld):
            if path == "/" { log.hostLost() } else { log.lost(path, hosts: hosts, withheld: withheld) }
        case .noteScope(let scope, let path):
            publish(.scope(record(of: scope) ?? .vanished(scope, path: path)))
            scheduleStatus()
        case .noteOldThresholds(let error):
            log.ignored("triggers stay at their old thresholds: \(error)")
        case .noteHost(let record):
            publish(.host(record))
            scheduleStatus()
        case .noteCommand(let name, let target, let hosts, let pid, let uid, let withheld):
            log.command(name, to: target, hosts: hosts, pid: pid, uid: uid, withheld: withheld)
        case .locate(let hosts):
            for host in hosts.compactMap({ policy.hosts.slot(of: $0) }).map({ policy.hosts[$0] }) {
                seek(host.connection, host.door)
            }
            search?.arm(after: .zero)
        case .save:
            // A daemon that is killed loses what is not saved; to save takes a tenth of a millisecond with hundreds of levels.
            if lastSave.duration(to: .now) > .milliseconds(1) { saveState() } else { saving?.schedule() }
        }
    }

    private func warn(_ round: UInt64, _ warning: Warning, _ recipients: ArraySlice<Effects.Recipient>) {
        WarningPacket.with(warning, round) { packet in
            for recipient in recipients {
                packet.ask(for: recipient.bytesWanted)
                if link(recipient.connection, recipient.door)?.warn(packet) != .sent {
                    feed(.undelivered(recipient.host, round: round))
                }
            }
        }
        // The kernel often wakes a host for the processor on which this thread runs. The host would wait there until the
        // daemon has logged the level and sleeps. In a storm of rounds the others would wait for each of its hosts.
        let now = MonotonicInstant.now
        if lastYield.duration(to: now) > .milliseconds(10) {
            lastYield = now
            sched_yield()
        }
        feed(.sent(round: round))
    }

    private func send(_ command: CommandRequest, _ number: UInt64, _ recipients: ArraySlice<Effects.Recipient>) {
        Frame(sequence: number, message: .command(command)).withPacket { packet in
            for recipient in recipients where link(recipient.connection, recipient.door)?.send(packet) != .sent {
                feed(.commandUndelivered(recipient.host, command: number))
            }
        }
    }

    func link(_ connection: ConnectionID, _ door: HostRecord.Door) -> (any HostLink)? {
        switch door {
        case .native: self.door.peer(connection)
        case .pressure: pressureDoor?.peer(connection)
        }
    }

    /// Logs a scope's level and passes it on to observers.
    private func note(_ scope: ScopeID, _ change: LevelMachine.Change) {
        guard let index = policy.scopes.index(of: scope) else { return }
        if scope == .wholeHost, change.isRise {
            lowMemoryMonitor?.warn(policy.scopes[index].level, isRepeated: change.isRepeat)
        }
        log.level(of: policy.scopes[index], isRepeat: change.isRepeat)
        publish(record(of: scope).map { .scope($0) })
        scheduleStatus()
    }

    /// The present state of a scope, if it is watched.
    func record(of scope: ScopeID) -> ScopeRecord? {
        policy.scopes.index(of: scope).map { policy.scopes[$0].record(sensors.look(scope)) }
    }

    /// Sends a message, if there is one, to all observers; it is only made if there is an observer.
    ///
    /// A scope's record needs a reading, which would delay the hosts that were just warned.
    func publish(_ message: @autoclosure () -> Message?) {
        observers.publish(message)
    }
}

extension LevelMachine.Change {
    /// Whether the level rose, or is repeated.
    fileprivate var isRise: Bool {
        if case .fell = self { false } else { true }
    }
}
