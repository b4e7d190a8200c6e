import MemoryPressure
import MemwarnProtocol
import WarningPolicy

/// An event of a host's process.
enum HostEvent {
    /// A timer of its session.
    case time
    /// It requests a connection.
    case connect
    /// It reads a packet.
    case read
    /// It has handled a warning.
    case answer
    /// The daemon closed its connection.
    case closed(ConnectionNumber)
    /// It reads the files that it watches itself.
    case tick(Int)
    /// It floods the daemon.
    case flood(Int)
}

typealias ConnectionNumber = Int32

extension Simulation {
    func start(_ host: Int) {
        guard let program = world.hostPrograms[host] else { return }
        hosts[host].begin(program: program, seed: scenario.seed)
        trace.mix(1, UInt64(host), now)
        trace.note(now, "host \(host) starts")
        drive(host, .time)
    }

    /// Ends the host's process; the kernel closes its files.
    func end(_ host: Int) {
        trace.mix(2, UInt64(host), now)
        trace.note(now, "host \(host) ends")
        coverage.disturbHost(host, at: now)
        if let index = hosts[host].files { close(index) }
        hosts[host].files = nil
        hosts[host].judge = nil
        if let connection = hosts[host].connection { hangUp(connection) }
        hosts[host].connection = nil
        hosts[host].program = nil
    }

    func handle(_ event: HostEvent, _ host: Int) {
        switch event {
        case .time:
            if hosts[host].timer.map({ $0 <= now }) ?? false { hosts[host].timer = nil }
            drive(host, .time)
        case .connect: connect(host)
        case .read: read(host)
        case .answer: answer(host)
        case .closed(let connection):
            guard hosts[host].connection == connection else { return }
            // Packets in the socket are read before its end.
            guard hosts[host].socket.isEmpty || hosts[host].isStuck else {
                return later(.host(host, epoch: hosts[host].epoch, .closed(connection)), after: 100_000)
            }
            hosts[host].connection = nil
            hosts[host].socket = []
            drive(host, .closed)
        case .tick(let serial):
            guard hosts[host].files != nil, hosts[host].tick == serial else { return }
            judge(host, .tick)
        case .flood(let left): flood(host, left)
        }
    }

    /// Feeds a session, and performs its effects.
    func drive(_ host: Int, _ input: ClientSession.Input) {
        var effects: [ClientSession.Effect] = []
        hosts[host].session.handle(input, at: clock, into: &effects)
        for effect in effects { perform(effect, host) }
        guard let deadline = hosts[host].session.deadline else { return }
        let due = max(now, deadline.nanoseconds - min(deadline.nanoseconds, clockOffset))
        if hosts[host].timer.map({ due < $0 }) ?? true {
            hosts[host].timer = due
            later(.host(host, epoch: hosts[host].epoch, .time), at: due)
        }
    }

    private func perform(_ effect: ClientSession.Effect, _ host: Int) {
        trace.note(now, "host \(host): \(effect)")
        let epoch = hosts[host].epoch
        switch effect {
        case .connect: later(.host(host, epoch: epoch, .connect), after: 100_000)
        case .register(let hello):
            guard let connection = hosts[host].connection else { return drive(host, .notSent(errno: 32)) }
            notify(.hello(connection, hello), after: 50_000)
            drive(host, .sent)
        case .acknowledge(let round, let answer):
            trace.mix(3, UInt64(host), round, answer.released)
            if let connection = hosts[host].connection {
                notify(.answer(connection, round: round, answer), after: 50_000)
            }
        case .reply(let sequence, let reply):
            if let connection = hosts[host].connection { notify(.reply(connection, sequence, reply), after: 50_000) }
        case .disconnect:
            if let connection = hosts[host].connection { hangUp(connection) }
            hosts[host].connection = nil
            hosts[host].socket = []
        case .watchKernel(let level): watchKernel(host, level)
        case .stopWatchingKernel: stopWatchingKernel(host)
        case .news: if hosts[host].delivery == nil { drive(host, .next) }
        case .announce: drive(host, .next)
        case .deliver(let delivery): deliver(delivery, host)
        case .perform:
            drive(host, .performed(CommandReply(result: .done)))
            drive(host, .next)
        }
    }

    private func deliver(_ delivery: ClientSession.Delivery, _ host: Int) {
        let warning = delivery.warning
        let isReal = !warning.options.contains(.simulated)
        trace.mix(4, UInt64(host), UInt64(warning.level.rawValue), delivery.round, warning.bytesWanted)
        if isReal { hosts[host].level = warning.level }
        if warning.level == .normal {
            if isReal { world.fill(host, at: now) }
            if delivery.warning.options.contains(.answerWanted) {
                drive(host, .acknowledged(acknowledgement(host, released: 0)))
            }
            return drive(host, .next)
        }
        hosts[host].delivery = delivery
        world.hold(host, at: now)
        later(.host(host, epoch: hosts[host].epoch, .answer), after: hosts[host].answerTime)
    }

    private func answer(_ host: Int) {
        guard let delivery = hosts[host].delivery else { return }
        hosts[host].delivery = nil
        let released = hosts[host].release(delivery.warning, of: world.cached(host, at: now))
        world.release(host, released, at: now)
        world.settle()
        self.released += released
        // A simulation does not make the host stay small.
        if delivery.warning.options.contains(.simulated), hosts[host].level == .normal { world.fill(host, at: now) }
        if hosts[host].behaviour != .silent {
            let claim = hosts[host].behaviour == .lying ? 1e17 : released
            drive(host, .acknowledged(acknowledgement(host, released: claim)))
        }
        drive(host, .next)
    }

    private func acknowledgement(_ host: Int, released: Double) -> Acknowledgement {
        let held = world.cached(host, at: now) + hosts[host].plan.base
        return Acknowledgement(
            released: UInt64(released),
            residentBefore: UInt64(held + released),
            residentAfter: UInt64(held),
            duration: hosts[host].answerTime / 1_000,
            releasable: hosts[host].plan.saysReleasable ? UInt64(world.cached(host, at: now)) : 0
        )
    }

    // MARK: The socket

    private func connect(_ host: Int) {
        guard hosts[host].connection == nil else { return }
        guard let connection = daemon.accept(host, epoch: hosts[host].epoch, uid: hosts[host].plan.uid) else {
            return drive(host, .notConnected(errno: 111))
        }
        hosts[host].connection = connection
        drive(host, .connected(releasable: hosts[host].plan.saysReleasable ? UInt64(world.cached(host, at: now)) : 0))
    }

    /// Puts a packet into a host's socket; returns whether there was room.
    func put(_ packet: [UInt8], to connection: ConnectionNumber) -> Bool {
        guard let link = daemon.link(connection), !link.isEnded, hosts[link.host].epoch == link.epoch else {
            return false
        }
        let host = link.host
        guard hosts[host].socket.count < SimulatedHost.socketLimit else { return false }
        hosts[host].socket.append(packet)
        scheduleRead(host)
        return true
    }

    private func scheduleRead(_ host: Int) {
        guard !hosts[host].isReading, !hosts[host].isStuck, !hosts[host].socket.isEmpty else { return }
        hosts[host].isReading = true
        later(.host(host, epoch: hosts[host].epoch, .read), after: 60_000)
    }

    private func read(_ host: Int) {
        hosts[host].isReading = false
        guard !hosts[host].isStuck, hosts[host].connection != nil, !hosts[host].socket.isEmpty else { return }
        let packet = hosts[host].socket.removeFirst()
        packet.withUnsafeBytes { drive(host, .packet($0)) }
        if let connection = hosts[host].connection, daemon.awaitsRoom(connection),
            hosts[host].socket.count <= SimulatedHost.socketLimit / 2
        {
            notify(.room(connection), after: 50_000)
        }
        scheduleRead(host)
    }

    func unstick(_ host: Int) {
        hosts[host].isStuck = false
        if hosts[host].program != nil { scheduleRead(host) }
    }

    private func flood(_ host: Int, _ left: Int) {
        guard left > 0, hosts[host].behaviour == .flooding else { return }
        if let connection = hosts[host].connection {
            let number = UInt64(left)
            switch left % 4 {
            case 0: notify(.simulate(connection, Simulate(level: left % 8 == 0 ? .critical : .normal)), after: 20_000)
            case 1: notify(.reply(connection, number, CommandReply(result: .done)), after: 20_000)
            case 2:
                notify(.send(connection, Send(to: .name("host-\(host)"), CommandRequest(name: "flush"))), after: 20_000)
            default:
                let round = daemon.policy.rounds.lastID + number % 3
                let answer = Acknowledgement(
                    released: 1 << 40,
                    residentBefore: 0,
                    residentAfter: 0,
                    duration: 0,
                    releasable: .max >> 1
                )
                notify(.answer(connection, round: round > 1 ? round - 1 : 0, answer), after: 20_000)
            }
        }
        later(.host(host, epoch: hosts[host].epoch, .flood(left - 1)), after: 40_000_000)
    }

    // MARK: Without a daemon

    private func watchKernel(_ host: Int, _ level: PressureLevel) {
        guard hosts[host].files == nil, let node = world.node(ofHost: host) else { return }
        let opening = open(.host(host), node, StallPlan())
        guard case .opened(let index, let first) = opening, let files = files[index] else {
            return drive(host, .kernelNotWatched(errno: 2))
        }
        hosts[host].files = index
        // A host has no privilege.
        hosts[host].judge = PressureJudge(
            rung: files.rung,
            window: files.window,
            policy: SensorPolicy(),
            level: level,
            first: first
        )
        drive(host, .kernelWatched(scope: world.kernel.tree[node].path))
        wait(host)
    }

    private func stopWatchingKernel(_ host: Int) {
        if let index = hosts[host].files { close(index) }
        hosts[host].files = nil
        hosts[host].judge = nil
    }

    /// Lets a host judge the kernel's figures on its own.
    func judge(_ host: Int, _ occasion: PressureJudge.Occasion) {
        guard let index = hosts[host].files, hosts[host].judge != nil else { return }
        var judge = hosts[host].judge
        do throws(KernelError) {
            let change = try judge?.handle(occasion, at: clock) { (reads) throws(KernelError) in
                try read(index, reads)
            }
            hosts[host].judge = judge
            if let change, let machine = judge?.machine {
                drive(host, .kernelLevel(machine.level, machine.reason, isRepeat: change.isRepeat))
            }
            wait(host)
        } catch {
            loseKernel(host, error)
        }
    }

    func loseKernel(_ host: Int, _ error: KernelError) {
        stopWatchingKernel(host)
        drive(host, .kernelLost(errno: error.errno))
    }

    private func wait(_ host: Int) {
        guard let index = hosts[host].files, let judge = hosts[host].judge else { return }
        let heard = judge.wanted(among: .all)
        let triggers: [PressureSensor.Trigger] = [.stalls(.full), .stalls(.some), .limits]
        poll(index, triggers.filter { heard.contains($0) })
        hosts[host].tick += 1
        guard let due = judge.due else { return }
        later(.host(host, epoch: hosts[host].epoch, .tick(hosts[host].tick)), at: due.nanoseconds - clockOffset)
    }
}
