import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import WarningPolicy

extension Daemon {
    /// Does one thing that the policy wants done, and feeds it what comes of that.
    func perform(_ effect: Effects.Effect, _ recipients: [Effects.Recipient]) {
        switch effect {
        case .warn(let round, let warning, let range):
            warn(round, warning, recipients[range])
        case .command(let command, let number, let range):
            send(command, number, recipients[range])
        case .awaitRoom(let connection):
            door.awaitRoom(connection)
        case .look(let scope, let round):
            feed(.looked(round: round, sensors.scope(scope)?.look()))
        case .reply(let connection, let sequence, let message):
            door.peer(connection)?.send(Frame(sequence: sequence, message: message))
        case .report(let command, let connection, let sequence, let messages):
            let peer = door.peer(connection)
            let full = messages.firstIndex { peer?.offer(Frame(sequence: sequence, message: $0)) != .sent }
            feed(.took(command: command, full ?? messages.count))
        case .noteLevel(let scope, let change):
            if let scope = sensors.scope(scope) { note(scope, change) }
        case .noteRound(let record, let isLogged):
            publish(.round(record))
            if isLogged { log.round(record) }
            roundEnded(record)
        case .noteLoss(let scope, let path, let hosts):
            if scope == .wholeHost { log.hostLost() } else { log.lost(path, hosts: hosts) }
        case .noteHost(let record):
            publish(.host(record))
            scheduleStatus()
        case .noteCommand(let name, let target, let hosts, let pid, let uid):
            log.command(name, to: target, hosts: hosts, pid: pid, uid: uid)
        case .locate(let hosts):
            homeless += hosts
            search?.schedule()
        case .release(let scope):
            if let scope = sensors.scope(scope), sensors.release(scope) { feed(.scopeClosed(scope.id)) }
        case .save:
            saveState()
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
        feed(.sent(round: round))
    }

    private func send(_ command: CommandRequest, _ number: UInt64, _ recipients: ArraySlice<Effects.Recipient>) {
        Frame(sequence: number, message: .command(command)).withPacket { packet in
            for recipient in recipients where link(recipient.connection, recipient.door)?.send(packet) != .sent {
                feed(.commandUndelivered(recipient.host, command: number))
            }
        }
    }

    private func link(_ connection: ConnectionID, _ door: HostRecord.Door) -> (any HostLink)? {
        switch door {
        case .native: self.door.peer(connection)
        case .pressure: pressureDoor?.peer(connection)
        }
    }

    /// Looks for the scopes of hosts that have lost theirs, for as long as a turn lasts, and goes on with the rest later.
    func locateHomeless() {
        let start = MonotonicInstant.now
        var located: [(HostID, ScopeID)] = []
        repeat {
            guard let id = homeless.popLast() else { break }
            if let scope = locate(id) { located.append((id, scope)) }
        } while start.duration(to: .now) < PollGroup.turn
        feed(.located(located))
        if !homeless.isEmpty { search?.schedule() }
    }

    private func locate(_ id: HostID) -> ScopeID? {
        guard let slot = policy.hosts.slot(of: id),
            let link = link(policy.hosts[slot].connection, policy.hosts[slot].door)
        else { return nil }
        return scope(of: link).id
    }

    /// The scope of the process at the other end; the host's if that process has ended, whatever its pid says now.
    func scope(of link: any HostLink) -> Scope {
        var scope = sensors.host
        let isCertain = link.aboutProcess { scope = sensors.scope(of: $0) } != nil
        if scope === sensors.host { noteHiding(of: link.process) }
        if isCertain { return scope }
        releaseIfEmpty(scope)
        return sensors.host
    }

    /// Has the log tell, once, that a host's process could not be found since all of other users are hidden.
    private func noteHiding(of process: FrameSocket.Peer) {
        // A process of another pid namespace has no pid here: another matter, which doctor tells of.
        guard !knowsOfHiding, process.pid != 0, process.uid != geteuid() else { return }
        guard !sensors.kernel.showsAllProcesses else { return }
        knowsOfHiding = true
        log.processesHidden()
    }

    /// Stops watching a scope that no host lives in.
    func releaseIfEmpty(_ scope: Scope) {
        guard hosts(in: scope) == 0, sensors.release(scope) else { return }
        feed(.scopeClosed(scope.id))
    }

    /// How many hosts live in a scope itself.
    func hosts(in scope: Scope) -> Int {
        policy.scopes.index(of: scope.id).map { policy.scopes[$0].hosts } ?? 0
    }

    /// Makes a scope's level known to people and observers.
    private func note(_ scope: Scope, _ change: LevelMachine.Change) {
        if scope === sensors.host, change.isRise {
            lowMemoryMonitor?.warn(scope.level, isRepeated: change == .persists)
        }
        log.level(of: scope)
        publish(.scope(scope.record(.present, hosts: hosts(in: scope))))
        scheduleStatus()
    }

    /// Tells all observers; the message is made only if there is one.
    ///
    /// A scope's record takes a reading, for which the hosts that were just warned would wait behind the daemon.
    func publish(_ message: @autoclosure () -> Message) {
        guard !observers.isEmpty else { return }
        let message = message()
        for peer in observers where !peer.publish(message) {
            let refusal = Refusal(code: .tooManyPeers, message: "it does not read what it subscribed to")
            door.refuse(peer, sequence: peer.subscription ?? 0, refusal)
        }
    }
}

extension LevelMachine.Change {
    /// Whether the level rose, or is told again.
    fileprivate var isRise: Bool {
        if case .fell = self { false } else { true }
    }
}
