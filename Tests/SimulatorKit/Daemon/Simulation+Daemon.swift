import MemoryPressure
import MemwarnProtocol
import WarningPolicy

// The daemon's event loop: events become inputs of the policy, and its effects are performed.
extension Simulation {
    /// Sends an event to the daemon.
    func notify(_ event: DaemonEvent, after nanoseconds: UInt64 = 0) {
        later(.daemon(event, generation: daemon.generation), after: nanoseconds)
    }

    func receive(_ event: DaemonEvent, _ generation: Int) {
        guard daemon.isUp, generation == daemon.generation || event.isInSocket else {
            if event.isInSocket { daemon.held.append(event) }
            return
        }
        if daemon.isFrozen { return daemon.held.append(event) }
        handle(event)
        arm()
    }

    private func handle(_ event: DaemonEvent) {
        switch event {
        case .hello(let connection, let hello): register(connection, hello)
        case .located(let connection, let id):
            guard let link = daemon.link(connection), link.id == id, let hello = link.hello else { break }
            enter(id, connection, hello, sequence: 1)
        case .answer(let connection, let round, let answer):
            guard let id = daemon.link(connection)?.id else { break }
            invariants.answered(id, round, at: now)
            feed(.answered(id, round: round, answer))
        case .reply(let connection, let command, let reply):
            if let id = daemon.link(connection)?.id { feed(.replied(id, command: command, reply)) }
        case .simulate(let connection, let request):
            let client = client(connection)
            if case .all = client.reach { invariants.administers(daemon.policy.rounds.lastID + 1) }
            feed(.simulate(request, client, sequence: 1))
        case .send(let connection, let request):
            feed(.send(request, client(connection), sequence: 1))
        case .closed(let connection):
            guard let link = daemon.link(connection) else { break }
            feed(.clientLeft(connection))
            daemon.close(connection)
            if let id = link.id { leave(id) }
        case .room(let connection):
            guard let link = daemon.link(connection), link.awaitsRoom else { break }
            let kept = link.kept
            (link.awaitsRoom, link.kept) = (false, nil)
            if let kept { reply(kept, to: connection) }
            if !daemon.awaitsRoom(connection) { feed(.hasRoom(connection, host: link.id)) }
        case .fired(let scope, let index, let serial, let trigger):
            guard fileSerials[index] == serial, !daemon.hold(event, of: index), daemon.files(of: scope) == index else {
                break
            }
            // The trigger may have been removed after the event and before the loop handles it.
            guard files[index]?.polled.contains(trigger) == true else { break }
            invariants.fired(scope, at: now)
            feed(.fired(scope, trigger))
            if trigger == .stalls(.full), let open = files[index], !shortages.reading(open.node).limits {
                invariants.fullShown(scope, window: open.window, since: coverage.fullSince(open.node), self)
            }
        case .dead(let scope, let index, let serial, let error):
            guard fileSerials[index] == serial, !daemon.hold(event, of: index), daemon.files(of: scope) == index else {
                break
            }
            feed(.unreadable(scope, error))
        case .thread(let scope, let place, let plan):
            guard let index = daemon.openings.firstIndex(where: { $0.scope == scope && !$0.isDone }) else { break }
            let opening = files(scope, place, plan)
            daemon.openings[index].isDone = true
            if case .opened(let files, _) = opening { daemon.openings[index].files = files }
            notify(.opened(scope, opening), after: 500_000)
        case .opened(let scope, let result):
            guard let index = daemon.openings.firstIndex(where: { $0.scope == scope }) else { break }
            let opening = daemon.openings.remove(at: index)
            let files = take(result, scope)
            if case .opened(let files) = files, let moved = opening.limitsMoved, moved >= files.first.at {
                invariants.limitsMoved(scope, at: now)
            }
            feed(.opened(scope, files))
            // Events since the files were opened are still pending when polling begins.
            for event in opening.early { handle(event) }
        case .limitsMoved(let scope):
            for index in daemon.openings.indices where daemon.openings[index].scope == scope {
                daemon.openings[index].limitsMoved = clock
            }
            invariants.limitsMoved(scope, at: now)
            feed(.limitsMoved(scope))
        case .accountingMoved(let scope): feed(.accountingMoved(scope))
        case .populationMoved(let scope): feed(.populationMoved(scope))
        case .appeared(let node):
            if world.kernel.tree[node].exists { feed(.cgroupAppeared(world.kernel.tree.places[node])) }
        case .vanished(let path): feed(.cgroupVanished(path: path))
        case .due:
            // The timer was set again in the meantime.
            guard daemon.timer.map({ $0 <= now }) ?? true else { break }
            daemon.timer = nil
            if let due = daemon.dues().policy, due <= clock { feed(.elapsed) }
        case .storeDue:
            guard daemon.storeTimer.map({ $0 <= now }) ?? true else { break }
            daemon.storeTimer = nil
            feedStore(.elapsed)
        case .settings(let number): reload(number)
        }
    }

    /// Wakes the daemon when the policy is due.
    private func arm() {
        guard daemon.isUp else { return }
        let (policy, store) = daemon.dues()
        if let policy, case let due = when(policy), due < daemon.timer ?? .max {
            daemon.timer = due
            notify(.due, after: due - now)
        }
        if let store, case let due = when(store), due < daemon.storeTimer ?? .max {
            daemon.storeTimer = due
            notify(.storeDue, after: due - now)
        }
    }

    /// The time at which the clock shows an instant.
    private func when(_ due: MonotonicInstant) -> UInt64 {
        max(now, due.nanoseconds - min(due.nanoseconds, clockOffset))
    }

    private func client(_ connection: ConnectionNumber) -> Client {
        let link = daemon.link(connection)
        let uid = link?.uid ?? 0
        return Client(connection: connection, pid: 1, uid: uid, reach: link == nil ? .all : .own)
    }

    // MARK: The policy

    /// Feeds the policy an event, performs its effects, and feeds it their results, in the order of the program.
    func feed(_ first: WarningPolicy.Input) {
        var (inputs, effects) = daemon.takeBuffers()
        defer { daemon.giveBack(&inputs, &effects) }
        inputs.append(first)
        var next = 0
        let generation = daemon.generation
        while next < inputs.count {
            // Moved, not copied: a copy retains what the input refers to.
            var input = WarningPolicy.Input.elapsed
            swap(&input, &inputs[next])
            next += 1
            daemon.inputs += 1
            if trace.isWhole { trace.note(now, "→ " + input.text) }
            trace.mix(input, at: now)
            daemon.policy.handle(input, at: clock, into: &effects)
            var list = effects.list
            defect?(&list, now)
            reached.note(input, list)
            let isRound = daemon.diesAfter != nil && list.contains { if case .warn = $0 { true } else { false } }
            for effect in list {
                if trace.isWhole { trace.note(now, "  ← " + effects.text(effect)) }
                trace.mix(effect)
                if isRound, let death = daemon.diesAfter {
                    guard death.effects > 0 else {
                        replaceDaemon(down: death.down, keepsStore: true)
                        return
                    }
                    daemon.diesAfter = (death.effects - 1, death.down)
                }
                perform(effect, effects.recipients, &inputs)
                guard daemon.generation == generation else { return }
            }
            // This leaves the buffer with one owner, so that it keeps its capacity.
            list = []
            effects.removeAll()
            world.settle()
        }
        invariants.stepped(self)
    }

    private func perform(
        _ effect: Effects.Effect,
        _ recipients: [Effects.Recipient],
        _ inputs: inout [WarningPolicy.Input]
    ) {
        switch effect {
        case .warn(let round, let warning, let range):
            warn(round, warning, recipients[range], &inputs)
        case .command(let request, let number, let range):
            let packet = try? Frame(sequence: number, message: .command(request)).encoded()
            for recipient in recipients[range] where packet.map({ put($0, to: recipient.connection) }) != true {
                inputs.append(.commandUndelivered(recipient.host, command: number))
            }
        case .awaitRoom(let connection): awaitRoom(connection)
        case .look(let scope, let round):
            let look = look(scope)
            invariants.looked(round, look?.headroom?.share, at: now)
            inputs.append(.looked(round: round, look))
        case .reply(let connection, let sequence, let message):
            if let packet = try? Frame(sequence: sequence, message: message).encoded() {
                reply(packet, to: connection)
            }
        case .report(let command, _, _, let messages): inputs.append(.took(command: command, messages.count))
        case .open(.wholeHost, let place, let plan):
            inputs.append(.opened(.wholeHost, take(files(.wholeHost, place, plan), .wholeHost)))
        case .open(let scope, let place, let plan):
            daemon.openings.append(SimulatedDaemon.Opening(scope: scope, node: world.kernel.tree.node(of: place)))
            // Arming triggers takes a lock that the kernel holds while it removes other cgroups; the thread opens one scope at a
            // time.
            let idle = max(now, daemon.threadIdle) + 1_000_000 * (1 + scope % 40)
            daemon.threadIdle = idle
            notify(.thread(scope, place, plan), after: idle - now)
        case .close(let scope):
            if let index = daemon.files(of: scope) { close(index) }
            daemon.forget(scope)
            invariants.closed(scope)
        case .read(let scope, let reads):
            guard let index = daemon.files(of: scope) else {
                invariants.violate(.orders, now, "it reads scope \(scope), whose files are not open")
                break
            }
            do throws(KernelError) {
                let readings = try read(index, reads)
                invariants.read(scope, readings, reads, at: now)
                inputs.append(.read(scope, readings))
            } catch {
                invariants.failedToRead(scope, at: now)
                inputs.append(.unreadable(scope, error))
            }
        case .listen(let scope, let wanted):
            guard let index = daemon.files(of: scope) else {
                invariants.violate(.orders, now, "it listens to scope \(scope), whose files are not open")
                break
            }
            let all: [PressureSensor.Trigger] = [.stalls(.full), .stalls(.some), .limits]
            poll(index, all.filter { wanted.contains($0) })
        case .locate(let hosts):
            let places = hosts.map { (host: $0, location: location(of: $0)) }
            invariants.located(places, at: now)
            inputs.append(.located(places))
        case .noteRound(let record, _): invariants.ended(record, daemon.policy.settings, at: now)
        case .save: save()
        case .noteLevel(let scope, let change):
            invariants.changed(scope, change, self)
            see(level: scope)
        case .noteLoss, .noteScope, .noteOldThresholds, .noteHost, .noteCommand: break
        }
    }

    private func warn(
        _ round: UInt64,
        _ warning: Warning,
        _ recipients: ArraySlice<Effects.Recipient>,
        _ inputs: inout [WarningPolicy.Input]
    ) {
        var packet = (try? Frame(sequence: round, message: .warning(warning)).encoded()) ?? []
        for recipient in recipients {
            for byte in 0..<8 {
                packet[Warning.bytesWantedOffset + byte] = UInt8(
                    truncatingIfNeeded: recipient.bytesWanted >> (8 * UInt64(byte))
                )
            }
            if daemon.link(recipient.connection)?.kept == nil, put(packet, to: recipient.connection) {
                invariants.warned(recipient.host, round, warning, daemon, at: now)
            } else {
                inputs.append(.undelivered(recipient.host, round: round))
            }
        }
        invariants.sent(round, at: now)
        inputs.append(.sent(round: round))
    }

    /// Sends an answer, or keeps it until there is room; if there are several answers it keeps the first.
    private func reply(_ packet: [UInt8], to connection: ConnectionNumber) {
        guard let link = daemon.link(connection), !link.isEnded, !put(packet, to: connection) else { return }
        link.kept = link.kept ?? packet
        awaitRoom(connection)
    }

    private func awaitRoom(_ connection: ConnectionNumber) {
        guard let link = daemon.link(connection) else { return }
        link.awaitsRoom = true
        guard !link.isEnded else { return }
        // The socket may already have room, and then reports that at once.
        if hosts[link.host].socket.count <= SimulatedHost.socketLimit / 2 { notify(.room(connection), after: 10_000) }
    }

    private func look(_ scope: ScopeID) -> ScopeLook? {
        guard let index = daemon.files(of: scope), let readings = try? read(index, [.stalls, .headroom]) else {
            return nil
        }
        return ScopeLook(at: clock, stalls: readings.stalls, headroom: readings.headroom)
    }

    /// The work of the thread that opens files.
    private func files(_ scope: ScopeID, _ place: SensorPlace, _ plan: StallPlan) -> Opening {
        guard let node = world.kernel.tree.node(of: place) else {
            return .failed(KernelError("open", place.cgroup?.path ?? "/", errno: 2))
        }
        if shortages.opening(node) != nil { invariants.failedToOpen(scope, at: now) }
        return open(.daemon(scope: scope), node, plan)
    }

    /// The work of the loop after that.
    private func take(_ opening: Opening, _ scope: ScopeID) -> WatchOpening {
        switch opening {
        case .failed(let error): return .failed(error)
        case .opened(let index, let first):
            if let former = daemon.files(of: scope) { close(former) }
            daemon.note(index, of: scope)
            invariants.read(scope, first, .headroom, at: now)
            guard let open = files[index] else { return .failed(KernelError("open", "/", errno: 9)) }
            var triggers: TriggerSet = []
            for trigger in open.polled { triggers.formUnion(TriggerSet(trigger)) }
            return .opened(OpenedFiles(rung: open.rung, window: open.window, triggers: triggers, first: first))
        }
    }

    func location(of id: HostID) -> Location {
        guard let connection = daemon.connection(of: id), let link = daemon.link(connection),
            hosts[link.host].epoch == link.epoch, let node = world.node(ofHost: link.host)
        else { return .unknown(KernelError("find", "process", errno: 3)) }
        if shortages.isOutOfDescriptors { return .unknown(KernelError("open", "/proc", errno: 24)) }
        return .found(world.kernel.tree.places[node])
    }

    /// The scopes in these cgroups whose files are open or being opened.
    func openScopes(where isMeant: (KernelModel.Node) -> Bool) -> [ScopeID] {
        var scopes = daemon.scopes.filter { files[$0.files].map { isMeant($0.node) } ?? false }.map(\.scope)
        // A change while files are being opened is also reported, once.
        for opening in daemon.openings {
            guard let node = opening.node, isMeant(node), !scopes.contains(opening.scope) else { continue }
            scopes.append(opening.scope)
        }
        return scopes
    }

    // MARK: Hosts

    private func register(_ connection: ConnectionNumber, _ hello: Hello) {
        guard let link = daemon.link(connection), !link.isEnded, link.id == nil else { return }
        guard !shortages.isOutOfDescriptors else {
            // The spare descriptor is sufficient for a refusal.
            feed(.refused(.tooManyPeers))
            turnAway(connection)
            return
        }
        let id = daemon.policy.makeHostID()
        (link.id, link.hello) = (id, hello)
        feedStore(.joined(StorePolicy.Host(id: id, uid: link.uid, nameBytes: 12), comesBack: true))
        // Searches take turns by account, so they do not end in order of the ids.
        notify(.located(connection, id), after: 200_000 * (1 + id * 7 % 5))
    }

    private func enter(_ id: HostID, _ connection: ConnectionNumber, _ hello: Hello, sequence: UInt64) {
        let newcomer = Newcomer(
            id: id,
            connection: connection,
            pid: UInt32(100 + (daemon.link(connection)?.host ?? 0)),
            uid: daemon.link(connection)?.uid ?? 0,
            hello: hello,
            location: location(of: id)
        )
        feed(.registered(newcomer, sequence: sequence))
    }

    private func turnAway(_ connection: ConnectionNumber) {
        guard let link = daemon.link(connection) else { return }
        let refusal = Refusal(code: .tooManyPeers, message: "no descriptor is left")
        if let packet = try? Frame(sequence: 0, message: .error(refusal)).encoded() { _ = put(packet, to: connection) }
        daemon.close(connection)
        later(.host(link.host, epoch: link.epoch, .closed(connection)), after: 50_000)
    }

    /// Handles the closing of a host's end of its connection.
    func hangUp(_ connection: ConnectionNumber) {
        daemon.link(connection)?.isEnded = true
        notify(.closed(connection), after: 50_000)
    }

    private func leave(_ id: HostID) {
        feedStore(.left(id))
        invariants.left(id)
        feed(.left(id))
    }

    // MARK: Configured cgroups

    func appear(_ node: KernelModel.Node) {
        if daemon.isUp, daemon.matches(world.kernel.tree[node].path) { notify(.appeared(node)) }
    }

    private func patrol() {
        for node in world.kernel.tree.all.indices where node > 0 && world.kernel.tree[node].exists { appear(node) }
    }

    private func reload(_ number: Int) {
        var settings = Settings()
        settings.cgroups = scenario.patterns
        switch number {
        case 0: settings.cgroups = []
        case 1: settings.stalls.some = .percent(8)
        case 2: settings.deadline = .seconds(3)
        case 3: settings.levels.repeatInterval = .seconds(10)
        case 4: settings.cgroups = ["/system.slice/*", "/user.slice/*"]
        default: return feed(.settingsRefused)
        }
        let isOther = settings.cgroups != daemon.settings.cgroups
        daemon.follow(settings)
        feed(.settings(settings))
        guard isOther else { return }
        feed(.patternsChanged)
        patrol()
    }

    // MARK: Restart

    private func feedStore(_ input: StorePolicy.Input) {
        var effects: [StorePolicy.Effect] = []
        daemon.store.handle(input, at: clock, into: &effects)
        for effect in effects {
            if case .store(let id) = effect, let connection = daemon.connection(of: id) {
                daemon.link(connection)?.isStored = true
            }
        }
    }

    private func save() {
        let policy = daemon.policy
        daemon.saved = SimulatedDaemon.Saved(
            lastHost: policy.hosts.lastID,
            levels: policy.scopes.levels
        )
    }

    func startDaemon() {
        var policy = WarningPolicy(
            daemon.settings,
            seed: scenario.seed &+ UInt64(daemon.generation),
            slice: scenario.slice
        )
        let lastHost = max(daemon.saved?.lastHost ?? 0, daemon.links.reduce(0) { max($0, $1?.id ?? 0) })
        policy.resume(at: clock, afterHost: lastHost, levels: daemon.saved?.levels ?? [:])
        daemon.begin(policy, StorePolicy(limit: 1_000), at: now)
        trace.note(now, "the daemon starts")
        invariants.began(at: now)
        feed(.started)
        // In the order of their ids, as the program takes them over.
        for id in daemon.links.compactMap({ $0?.id }).sorted() {
            guard daemon.isUp, let connection = daemon.connection(of: id), let link = daemon.link(connection) else {
                continue
            }
            (link.awaitsRoom, link.kept) = (false, nil)
            feedStore(.inherited(StorePolicy.Host(id: id, uid: link.uid, nameBytes: 12)))
            enter(id, connection, link.hello ?? Hello(name: "?"), sequence: 0)
        }
        patrol()
        if daemon.isUp, case let held = daemon.held, !held.isEmpty {
            daemon.held = []
            for event in held { notify(event, after: 100_000) }
        }
        arm()
    }

    func thaw() {
        daemon.isFrozen = false
        let held = daemon.held
        daemon.held = []
        for event in held { receive(event, daemon.generation) }
    }

    /// Ends the daemon; another one follows.
    ///
    /// Connections that the service manager stores stay open.
    func replaceDaemon(down: UInt64, keepsStore: Bool) {
        guard daemon.isUp else { return }
        trace.note(now, "the daemon ends")
        trace.mix(5, now)
        coverage.disturbAll(until: now + down + 6_000_000_000)
        for (_, index) in daemon.scopes { close(index) }
        for opening in daemon.openings { if let index = opening.files { close(index) } }
        daemon.end()
        invariants.lost()
        if !keepsStore {
            daemon.saved = nil
            daemon.held = []
        }
        for (place, link) in daemon.links.enumerated() {
            guard let link else { continue }
            if keepsStore, link.isStored, !link.isEnded { continue }
            daemon.close(ConnectionNumber(place))
            later(.host(link.host, epoch: link.epoch, .closed(ConnectionNumber(place))), after: 50_000)
        }
        later(.startDaemon(generation: daemon.generation), after: down)
    }

    // MARK: Faults

    func perform(_ fault: Fault.Kind) {
        func after(_ seconds: Double, _ event: Event) { later(event, after: World.nanoseconds(seconds)) }
        switch fault {
        case .lostDaemon(let down, let keepsStore): replaceDaemon(down: World.nanoseconds(down), keepsStore: keepsStore)
        case .upgrade(let down, let effects): daemon.diesAfter = (effects, World.nanoseconds(down))
        case .freeze(let time):
            guard daemon.isUp else { break }
            daemon.isFrozen = true
            after(time, .thaw(generation: daemon.generation))
        case .clockJump(let time):
            clockOffset += World.nanoseconds(time)
            invariants.jumped(by: World.nanoseconds(time))
            for host in hosts.indices where hosts[host].program != nil {
                later(.host(host, epoch: hosts[host].epoch, .time), after: 0)
            }
            (daemon.timer, daemon.storeTimer) = (nil, nil)
            arm()
        case .behaviour(let host, let behaviour, let time):
            hosts[host].behaviour = behaviour
            if behaviour == .flooding { later(.host(host, epoch: hosts[host].epoch, .flood(Int(time * 25))), after: 0) }
            after(time, .endBehaviour(host))
        case .fullSocket(let host, let time):
            hosts[host].isStuck = true
            after(time, .endFullSocket(host))
        case .descriptors(let time): after(time, .endShortage(shortages.begin(.descriptors)))
        case .opens(let cgroup, let errno, let time):
            guard let node = world.nodes[cgroup] else { break }
            after(time, .endShortage(shortages.begin(.opens(node, errno: errno))))
        case .reads(let cgroup, let limitsOnly, let time):
            guard let node = world.nodes[cgroup] else { break }
            after(time, .endShortage(shortages.begin(.reads(node, limitsOnly: limitsOnly))))
        case .reload(let number): notify(.settings(number))
        case .request(let number): request(number)
        case .restart, .removal, .move, .accounting, .limits: break
        }
    }

    /// The request of an administrator's client, whose connection is not modelled.
    private func request(_ number: Int) {
        switch number {
        case 0: notify(.simulate(-1, Simulate(level: .critical)))
        case 1: notify(.simulate(-1, Simulate(level: .warning, deadline: 500)))
        case 2: notify(.simulate(-1, Simulate(level: .normal)))
        case 3: notify(.send(-1, Send(to: .name("host-1"), CommandRequest(name: "flush"))))
        case 4: notify(.send(-1, Send(to: .name("host-2"), CommandRequest(name: "flush"), deadline: 100)))
        default: notify(.simulate(-1, Simulate(level: .critical, target: .cgroup("/system.slice"))))
        }
    }
}
