import MemoryPressure
import MemwarnProtocol
import Testing

@testable import WarningPolicy

/// Requests of clients.
struct RequestTests {
    private static let root = Client(connection: 900, pid: 9, uid: 0, reach: .all)
    private static func user(_ uid: UInt32, connection: ConnectionID = 901) -> Client {
        Client(connection: connection, pid: 10, uid: uid, reach: .own)
    }

    private static func refusals(_ bench: PolicyBench) -> [Refusal.Code] {
        bench.replies.compactMap { if case .error(let refusal) = $0.message { refusal.code } else { nil } }
    }

    private static func outcomes(_ bench: PolicyBench) -> [CommandRecord.Outcome] {
        bench.replies.compactMap { if case .commandRecord(let record) = $0.message { record.outcome } else { nil } }
    }

    private static func ends(_ bench: PolicyBench) -> Int {
        bench.replies.count { if case .end = $0.message { true } else { false } }
    }

    @Test("a user may warn its own hosts, and gets the reason for the refusal of others")
    func permission() {
        var bench = PolicyBench()
        bench.register(uid: 1000, name: "mine")
        bench.register(uid: 1001, name: "theirs")
        bench.simulate(.warning, by: Self.user(1000))
        #expect([1, 2].map { bench.rounds($0) } == [[1], []])
        bench.simulate(.warning, .name("theirs"), by: Self.user(1000))
        bench.simulate(.warning, .name("none"), by: Self.user(1000))
        #expect(Self.refusals(bench) == [.notPermitted, .noSuchHost])
        bench.simulate(.warning, .name("theirs"), by: Self.root)
        #expect(bench.rounds(2) == [2])
    }

    @Test("a simulation may be for the hosts of one process, or of the cgroups below one")
    func targets() {
        var bench = PolicyBench()
        bench.open(2, "/a")
        bench.register(in: 2)
        bench.register()
        bench.simulate(.warning, .pid(102), by: Self.root)
        #expect([1, 2].map { bench.rounds($0) } == [[], [1]])
        bench.simulate(.warning, .cgroup("/a"), by: Self.root)
        #expect([1, 2].map { bench.rounds($0) } == [[2], [1]])
        bench.simulate(.warning, .pid(7), by: Self.root)
        #expect(Self.refusals(bench) == [.noSuchHost])
    }

    @Test("a client whose user is unknown can neither warn nor command a host, not even one of the same uid")
    func unknownUser() {
        var bench = PolicyBench()
        bench.register(uid: 65_534, name: "a")
        let client = Client(connection: 901, pid: 10, uid: 65_534, reach: .none)
        bench.simulate(.warning, by: client)
        bench.feed(.send(Send(to: .name("a"), CommandRequest(name: "status")), client, sequence: 1))
        #expect(Self.refusals(bench) == [.notPermitted, .notPermitted])
        #expect(bench.rounds(1) == [])
    }

    @Test("a client is notified of its round when it begins and when it is over, but not after it has left")
    func requester() {
        var bench = PolicyBench(hosts: 1)
        bench.simulate(.critical)
        bench.answer(1, round: 1)
        func states() -> [RoundRecord.State] {
            bench.replies.compactMap { if case .round(let record) = $0.message { record.state } else { nil } }
        }
        #expect(states() == [.running, .finished])
        bench.simulate(.critical)
        bench.feed(.clientLeft(900))
        bench.answer(1, round: 2)
        #expect(states() == [.running, .finished, .running])
        // The end of another client's connection makes no difference.
        bench.simulate(.critical)
        bench.feed(.clientLeft(901))
        bench.answer(1, round: 3)
        #expect(states().suffix(2) == [.running, .finished])
    }

    @Test("a user's simulated rounds are limited in number and rate; other users and root are not delayed")
    func simulations() {
        var bench = PolicyBench()
        for index in 0...Simulations.limit {
            bench.register(uid: 1000, name: "host \(index)")
            bench.simulate(.warning, .name("host \(index)"), by: Self.user(1000))
        }
        bench.register(uid: 1001)
        #expect(Self.refusals(bench) == [.tooManyRequests])
        bench.simulate(.warning, by: Self.user(1001))
        bench.simulate(.warning)
        #expect(Self.refusals(bench).count == 1)

        // One after the other, as fast as the host answers.
        var fast = PolicyBench()
        fast.register(uid: 1000)
        for _ in 0..<100 {
            fast.simulate(.warning, by: Self.user(1000))
            fast.answer(1, round: fast.policy.rounds.lastID)
        }
        #expect(fast.policy.rounds.lastID == 20)
        fast.pass(.seconds(1))
        for _ in 0..<100 {
            fast.simulate(.warning, by: Self.user(1000))
            fast.answer(1, round: fast.policy.rounds.lastID)
        }
        #expect(fast.policy.rounds.lastID == 25)
    }

    @Test("root's simulation does not wait for a user's host that is silent in the user's own, which is given up")
    func silentUser() throws {
        var bench = PolicyBench()
        for name in ["evil", "innocent"] { bench.register(uid: 1000, name: name) }
        bench.simulate(.warning, .name("evil"), by: Self.user(1000), deadline: 60_000)
        bench.simulate(.critical, by: Self.root)
        #expect([1, 2].map { bench.rounds($0) } == [[1, 2], [2]])
        #expect(bench.finished.first { $0.id == 1 }?.silent == 1)
        bench.answer(2, round: 2)
        bench.pass(.seconds(2))
        let round = try #require(bench.finished.first { $0.id == 2 })
        #expect((round.answered, round.silent) == (1, 1) && round.duration <= 2_000_000)
        // A user's simulation waits for root's, and for the user's own.
        bench.simulate(.warning, .name("evil"), by: Self.root, deadline: 5_000)
        bench.simulate(.critical, .name("evil"), by: Self.user(1000))
        #expect(bench.rounds(1) == [1, 2, 3])
    }

    @Test("a user's simulation does not take the place of root's that waits behind a real warning")
    func owedSimulation() {
        var bench = PolicyBench(hosts: 1)
        bench.set(.warning)
        bench.simulate(.critical, by: Self.root)
        bench.simulate(.warning, by: Self.user(1000))
        bench.answer(1, round: 1)
        #expect(bench.rounds(1) == [1, 2])
        #expect(bench.finished.first { $0.id == 3 }?.undeliverable == 1)
    }

    @Test("the users of a cgroup share one user's limit of simulated rounds; without a cgroup each has its own")
    func simulationsOfACgroup() {
        let cgroups = ["/user.slice/user-1000.slice/session-1.scope", "/user.slice/user-1000.slice", "/", nil]
        for (cgroup, isLimited) in zip(cgroups, [true, true, false, false]) {
            var bench = PolicyBench()
            for uid in 1000...UInt32(1000 + Simulations.limit) {
                bench.register(uid: uid)
                let account = PeerQuotas.Account(uid: uid, cgroup: cgroup)
                let client = Client(connection: CInt(uid), pid: 10, uid: uid, account: account, reach: .own)
                bench.simulate(.warning, by: client)
            }
            #expect(Self.refusals(bench) == (isLimited ? [.tooManyRequests] : []), "\(cgroup ?? "none")")
        }
    }

    @Test("the users of a cgroup together begin simulated rounds as often as one user may")
    func simulationRateOfACgroup() {
        var bench = PolicyBench()
        for uid in 1000...UInt32(1020) {
            let host = bench.register(uid: uid)
            let account = PeerQuotas.Account(uid: uid, cgroup: "/user.slice/user-1000.slice")
            bench.simulate(.warning, by: Client(connection: 900, pid: 10, uid: uid, account: account, reach: .own))
            bench.answer(host, round: bench.policy.rounds.lastID)
        }
        #expect(bench.policy.rounds.lastID == 20)
        #expect(Self.refusals(bench) == [.tooManyRequests])
    }

    @Test("a user's simulated rounds beyond a rate are not logged; real rounds and those of root always are")
    func log() {
        var bench = PolicyBench()
        for uid: UInt32 in 1...10 {
            bench.register(uid: uid)
            for _ in 0..<20 {
                bench.simulate(.warning, by: Self.user(uid))
                bench.answer(HostID(uid), round: bench.policy.rounds.lastID)
            }
        }
        #expect(bench.finished.count == 200)
        #expect(bench.logged.count == 200)
        bench.pass(.seconds(1))
        for _ in 0..<5 {
            bench.simulate(.warning, by: Self.user(1))
            bench.answer(1, round: bench.policy.rounds.lastID)
        }
        #expect(bench.finished.count == 205)
        #expect(bench.logged.count == 200)
        bench.simulate(.warning, .pid(101))
        bench.answer(1, round: 206)
        bench.set(.critical)
        for host: HostID in 1...10 { bench.answer(host, round: 207) }
        #expect(bench.logged.suffix(2) == [206, 207])
        #expect(bench.withheld == 0)
        bench.pass(.seconds(5))
        bench.simulate(.warning, by: Self.user(1))
        bench.answer(1, round: 208)
        #expect(bench.logged.last == 208)
        #expect(bench.withheld == 5)
    }

    @Test("many commands of a user do not keep another user's out of the log")
    func commandsInLog() {
        var bench = PolicyBench()
        for uid: UInt32 in 1...2 { bench.register(uid: uid) }
        for uid in [UInt32](repeating: 1, count: 130) + [2] {
            let command = Send(to: .id(HostID(uid)), CommandRequest(name: "x"))
            bench.feed(.send(command, Self.user(uid), sequence: 3))
            bench.feed(.commandUndelivered(HostID(uid), command: bench.commands[HostID(uid)]?.last ?? 0))
        }
        #expect(bench.commandsLogged == [UInt32](repeating: 1, count: 20) + [2])
        #expect(bench.withheld == 110)
    }

    @Test("a round that reaches no host is over when its client is first notified")
    func unreachable() {
        var bench = PolicyBench(hosts: 1)
        bench.full = [1]
        bench.simulate(.warning)
        let rounds = bench.replies.compactMap { if case .round(let record) = $0.message { record } else { nil } }
        #expect(rounds.map(\.state) == [.finished])
        #expect(rounds.map(\.undeliverable) == [1])
    }

    @Test("a client that simulates the same raised level again reports that it is still held")
    func repetition() {
        var bench = PolicyBench(hosts: 1)
        for level: PressureLevel in [.warning, .warning, .normal, .normal] {
            bench.simulate(level)
            bench.answer(1, round: bench.policy.rounds.lastID)
        }
        let repeats = bench.inbox[1, default: []].map { $0.warning.options.contains(.repeated) }
        #expect(repeats == [false, true, false, false])
    }

    @Test("a command's client receives the outcome of each host, and then the end")
    func command() {
        var bench = PolicyBench(hosts: 4)
        bench.register(name: "deaf", accepts: [])
        bench.full = [2]
        bench.feed(.send(Send(to: .name("fake"), CommandRequest(name: "x")), Self.root, sequence: 3))
        #expect(bench.commands == [1: [1], 3: [1], 4: [1]])
        bench.feed(.replied(1, command: 1, CommandReply(result: .done, text: "yes")))
        bench.feed(.replied(1, command: 1, CommandReply(result: .done, text: "again")))
        bench.feed(.left(3))
        #expect(Self.ends(bench) == 0)
        bench.pass(.seconds(5))
        #expect(Self.outcomes(bench) == [.undeliverable, .done, .gone, .silent])
        #expect(Self.ends(bench) == 1)
        bench.feed(.send(Send(to: .name("deaf"), CommandRequest(name: "x")), Self.root, sequence: 4))
        #expect(Self.outcomes(bench).last == .notAccepting)
        #expect(Self.ends(bench) == 2)
        bench.pass(.seconds(12))
        #expect(bench.policy.due == nil)
    }

    @Test("a client that does not read gets the other answers when it reads, and the number of lost answers")
    func slowClient() {
        var bench = PolicyBench(hosts: 100)
        bench.room = [900: 0]
        bench.feed(.send(Send(to: .name("fake"), CommandRequest(name: "x")), Self.root, sequence: 3))
        let reply = CommandReply(result: .done, text: String(repeating: "x", count: 2_048))
        for host: HostID in 1...100 { bench.feed(.replied(host, command: 1, reply)) }
        #expect(bench.replies.filter { $0.sequence == 3 }.isEmpty)
        #expect(bench.awaitingRoom == [900])
        bench.room = [900: 10]
        bench.feed(.hasRoom(900, host: nil))
        #expect(Self.outcomes(bench).count == 10)
        bench.room = [:]
        bench.feed(.hasRoom(900, host: nil))
        #expect(Self.outcomes(bench).count == 64)
        let missed = bench.replies.compactMap { if case .missed(let missed) = $0.message { missed.count } else { nil } }
        #expect(missed == [36])
        #expect(Self.ends(bench) == 1)
    }

    @Test("a client that reads late loses no answer without a text, and none beyond its room after it has read")
    func lateClient() {
        var bench = PolicyBench(hosts: 300)
        bench.room = [900: 0]
        bench.feed(.send(Send(to: .name("fake"), CommandRequest(name: "x")), Self.root, sequence: 3))
        func answer(_ hosts: ClosedRange<HostID>, _ text: String) {
            for host in hosts { bench.feed(.replied(host, command: 1, CommandReply(result: .done, text: text))) }
        }
        answer(1...100, "")
        answer(101...164, String(repeating: "x", count: 2_048))
        bench.room = [900: 164]
        bench.feed(.hasRoom(900, host: nil))
        answer(165...228, String(repeating: "x", count: 2_048))
        answer(229...300, "")
        bench.room = [:]
        bench.feed(.hasRoom(900, host: nil))
        #expect(Self.outcomes(bench).count == 300)
        #expect(!bench.replies.contains { if case .missed = $0.message { true } else { false } })
        #expect(Self.ends(bench) == 1)
    }

    @Test("a host that accepts no simulation or command has to make room; at the pressure socket it need not")
    func fullHosts() {
        var bench = PolicyBench()
        let host = bench.register(name: "a")
        let program = bench.register(door: .pressure, name: "b")
        bench.simulate(.warning)
        bench.feed(.undelivered(host, round: 1))
        bench.feed(.undelivered(program, round: 1))
        #expect(bench.awaitingRoom == [ConnectionID(host)])
        bench.feed(.send(Send(to: .id(host), CommandRequest(name: "x")), Self.root, sequence: 3))
        bench.feed(.commandUndelivered(host, command: 1))
        #expect(bench.awaitingRoom == [ConnectionID(host), ConnectionID(host)])
    }

    @Test("a simulation that another warning displaces has failed at the host")
    func displaced() throws {
        for isReal in [false, true] {
            var bench = PolicyBench(hosts: 1)
            bench.set(.warning)
            bench.simulate(.warning)
            if isReal { bench.set(.critical) } else { bench.simulate(.critical) }
            let round = try #require(bench.finished.first { $0.id == 2 })
            #expect((round.hosts, round.undeliverable) == (1, 1))
        }
    }

    @Test("a client that never reads is forgotten, and the number of a user's commands is limited")
    func limits() {
        var bench = PolicyBench(hosts: 1)
        bench.room = [901: 0]
        let user = Self.user(1000)
        for _ in 0...SentCommands.limit {
            bench.feed(.send(Send(to: .id(1), CommandRequest(name: "x")), user, sequence: 3))
        }
        #expect(Self.refusals(bench) == [.tooManyRequests])
        bench.pass(.seconds(20))
        bench.feed(.send(Send(to: .id(1), CommandRequest(name: "x")), user, sequence: 3))
        #expect(Self.refusals(bench).count == 1)
        bench.feed(.clientLeft(901))
        #expect(bench.policy.due == nil)
    }

    @Test("a user's commands are limited by the hosts that get them, and a second allows a thousand; root's are not")
    func rate() {
        var bench = PolicyBench()
        for _ in 0..<500 { bench.register(uid: 1000, name: "its") }
        /// How many of 100 commands, each of which all hosts answer at once, are not refused.
        func sent(by client: Client) -> Int {
            let refused = Self.refusals(bench).count
            var last: UInt64 = 0
            for _ in 0..<100 {
                bench.feed(.send(Send(to: .name("its"), CommandRequest(name: "x")), client, sequence: 3))
                guard let number = bench.commands[1]?.last, number > last else { continue }
                last = number
                for host in 1...HostID(500) {
                    bench.feed(.replied(host, command: number, CommandReply(result: .done)))
                }
            }
            return 100 - (Self.refusals(bench).count - refused)
        }
        #expect(sent(by: Self.user(1000)) == 40)
        #expect(sent(by: Self.root) == 100)
        bench.pass(.seconds(1))
        #expect(sent(by: Self.user(1000)) == 2)
    }

    @Test("the users of a cgroup share one user's limit of commands; without a cgroup each has its own")
    func commandsOfACgroup() {
        for (cgroup, isLimited) in zip(["/user.slice/user-1000.slice", "/", nil], [true, false, false]) {
            var bench = PolicyBench()
            for uid in 1000...UInt32(1000 + SentCommands.limit) {
                let host = bench.register(uid: uid)
                let account = PeerQuotas.Account(uid: uid, cgroup: cgroup)
                let client = Client(connection: CInt(uid), pid: 10, uid: uid, account: account, reach: .own)
                bench.feed(.send(Send(to: .id(host), CommandRequest(name: "x")), client, sequence: 3))
            }
            #expect(Self.refusals(bench) == (isLimited ? [.tooManyRequests] : []), "\(cgroup ?? "none")")
        }
    }
}
