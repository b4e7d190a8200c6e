import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

struct RegistrationTests {
    @Test func aHostIsWelcomedWithItsLevelAndScope() throws {
        let daemon = try DaemonProcess()
        let host = try RawPeer(daemon, host: "first", releasable: 5)
        let welcome = try #require(host.welcome)
        #expect(welcome.hostID == 1)
        #expect(welcome.level == .normal)
        #expect(welcome.scope.hasPrefix("/"))

        let record = try #require(try RawPeer(daemon).hosts().first)
        #expect(record.name == "first")
        #expect(record.id == 1)
        #expect(record.pid == UInt32(getpid()))
        #expect(record.uid == geteuid())
        #expect(record.priority == Hello.defaultPriority)
        #expect(record.releasable == 5)
        #expect(record.outcome == .none)
        #expect(record.scope == welcome.scope)
        #expect(try RawPeer(daemon, host: "second").id == 2)
    }

    @Test(
        "a welcome that does not fit into the socket is sent once the host has read",
        arguments: [Query.Section.daemon, .scopes]
    )
    func unreadAnswers(section: Query.Section) throws {
        let daemon = try DaemonProcess()
        let control = try RawPeer(daemon)
        // At least one of these counts of answers leaves no room for the welcome.
        for count in 1...16 {
            let host = try RawPeer(daemon)
            for _ in 0..<count { try host.send(.query(Query(section: section)), sequence: 2) }
            try host.send(.hello(Hello(name: "late reader")), sequence: 3)
            // The host is registered before it reads, unless the earlier answers leave no room for that.
            for _ in 0..<5 where try control.hosts().isEmpty {}
            var answer = try host.next()
            while answer.sequence != 3 { answer = try host.next(within: 5) }
            guard case .welcome = answer.message else { throw Unexpected("\(answer) instead of a welcome") }
        }
    }

    @Test func aSecondHelloIsRefusedAndTheConnectionClosed() throws {
        let daemon = try DaemonProcess()
        let host = try RawPeer(daemon, host: "once")
        try host.send(.hello(Hello(name: "twice")), sequence: 33)
        let (sequence, refusal) = try host.refusal()
        #expect(sequence == 33)
        #expect(refusal.code == .unexpectedMessage)
        #expect(try host.receive() == nil)
        try RawPeer(daemon).waitForHosts(0)
    }

    @Test(
        "the daemon refuses a peer's message if only the daemon may send it",
        arguments: [
            Message.end(End()), .missed(Missed(count: 1)), .error(Refusal(code: .malformed, message: "no")),
            .welcome(Welcome(hostID: 1, level: .normal, reason: .simulation, scope: "/")),
        ]
    )
    func daemonsOwnMessages(message: Message) throws {
        let daemon = try DaemonProcess()
        let peer = try RawPeer(daemon)
        try peer.send(message, sequence: 5)
        let (sequence, refusal) = try peer.refusal()
        #expect(sequence == 5)
        #expect(refusal.code == .unexpectedMessage)
        #expect(try peer.receive() == nil)
    }

    @Test("control requests need no hello, and an acknowledgement without a hello is ignored")
    func withoutHello() throws {
        let daemon = try DaemonProcess()
        let peer = try RawPeer(daemon)
        try peer.acknowledge(1, released: 5)
        guard case .daemon(let record)? = try peer.page(.daemon).records.first else {
            throw Unexpected("no record of the daemon")
        }
        #expect(record.pid == UInt32(daemon.process.pid))
        #expect(record.hosts == 0)
        #expect(record.rounds == 0)
        #expect(record.level == .normal)
        guard case .scope(let scope)? = try peer.page(.scopes).records.first else { throw Unexpected("no scope") }
        #expect(scope.path == "/")
        #expect(scope.id == 1)
        #expect(scope.state == .present)
        #expect(scope.rung != .none)
        #expect(try peer.page(.rounds).records.isEmpty)
    }

    @Test("a list comes in pages of 64 records, and the last page is marked", arguments: [64, 130])
    func paging(count: Int) throws {
        let daemon = try DaemonProcess()
        let hosts = try (0..<count).map { try RawPeer(daemon, host: "host \($0)") }
        let control = try RawPeer(daemon)
        var sizes: [Int] = []
        var ids: [UInt64] = []
        var after: UInt64 = 0
        repeat {
            let (records, next) = try control.page(.hosts, after: after)
            sizes.append(records.count)
            ids += records.compactMap { if case .host(let record) = $0 { record.id } else { nil } }
            after = next
        } while after > 0
        #expect(sizes == (count == 64 ? [64, 0] : [64, 64, 2]))
        #expect(ids == hosts.map(\.id))
    }

    @Test func aSubscriberSeesHostsAndRoundsComeAndGo() throws {
        let daemon = try DaemonProcess()
        let observer = try RawPeer(daemon)
        try observer.send(.subscribe, sequence: 77)
        #expect(try observer.next() == Frame(sequence: 77, message: .end(End())))

        var host: RawPeer? = try RawPeer(daemon, host: "seen")
        let control = try RawPeer(daemon)
        try control.simulate(.patient(.warning))
        let (round, _) = try #require(try host?.warning())
        try host?.acknowledge(round, released: 9)
        host = nil

        var events: [String] = []
        for _ in 0..<3 {
            let frame = try observer.next()
            #expect(frame.sequence == 77)
            switch frame.message {
            case .host(let record): events.append("\(record.name) \(record.state) \(record.outcome)")
            case .round(let record): events.append("round \(record.id) \(record.state) \(record.answered)")
            default: events.append("\(frame.message)")
            }
        }
        #expect(events == ["seen present not asked", "round \(round) finished 1", "seen gone answered"])
    }

    @Test("a subscriber that does not read loses records, and receives their number")
    func slowSubscriber() throws {
        let daemon = try DaemonProcess()
        let observer = try RawPeer(daemon)
        try observer.send(.subscribe, sequence: 1)
        #expect(try observer.next().message == .end(End()))

        // More events than a socket's queue holds, which is a few hundred small packets.
        let visits = 600
        for index in 0..<visits { _ = try RawPeer(daemon, host: "visitor \(index)") }
        let control = try RawPeer(daemon)
        try control.waitForHosts(0)

        var seen = 0
        while observer.hasNews {
            guard case .host = try observer.next().message else { throw Unexpected("no record of a host") }
            seen += 1
        }
        #expect(seen < visits * 2)
        // The count comes before the next record.
        let last = try RawPeer(daemon, host: "last")
        guard case .missed(let missed) = try observer.next().message else { throw Unexpected("nothing was missed") }
        #expect(seen + Int(missed.count) == visits * 2)
        guard case .host(let record) = try observer.next().message else { throw Unexpected("no record of a host") }
        #expect(record.id == last.id)
    }
}
