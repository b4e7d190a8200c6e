import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

/// Commands from a client to hosts, and the daemon's records of the answers.
struct SendTests {
    private let daemon: DaemonProcess
    private let control: RawPeer

    init() throws {
        daemon = try DaemonProcess()
        control = try RawPeer(daemon)
    }

    private func host(_ name: String = "gallery") throws -> RawPeer {
        try RawPeer(daemon, host: name, accepts: .commands)
    }

    private func record(_ host: RawPeer, _ outcome: CommandRecord.Outcome, _ text: String = "") -> CommandRecord {
        CommandRecord {
            $0.id = host.id
            $0.pid = UInt32(getpid())
            $0.outcome = outcome
            $0.name = "gallery"
            $0.text = text
        }
    }

    @Test("every host of the name gets the command, and each answer is passed on as it arrives")
    func answers() throws {
        let hosts = try (0..<3).map { _ in try host() }
        let other = try host("other")
        try control.order(.name("gallery"), "reload", argument: "all")
        // The last host answers first, and its answer does not wait for the others.
        let results: [(CommandReply.Result, CommandRecord.Outcome)] = [
            (.unhandled, .unhandled), (.failed, .failed), (.done, .done),
        ]
        for (host, (result, outcome)) in zip(hosts.reversed(), results) {
            let (number, command) = try host.command()
            #expect(command == CommandRequest(name: "reload", argument: "all"))
            try host.send(.outcome(CommandReply(result: result, text: "text \(host.id)")), sequence: number)
            #expect(try control.commandRecord() == record(host, outcome, "text \(host.id)"))
        }
        #expect(try control.commandRecords().records.isEmpty)
        #expect(!other.hasNews)
    }

    @Test("an id selects one host, whatever the others' names are")
    func byID() throws {
        let hosts = try (0..<2).map { _ in try host() }
        try control.order(.id(hosts[1].id))
        try hosts[1].perform(.done, "1")
        #expect(try control.commandRecords().records == [record(hosts[1], .done, "1")])
        #expect(!hosts[0].hasNews)
    }

    @Test("a host that does not answer counts as silent at the deadline, and its late answer is dropped")
    func silent() throws {
        let host = try host()
        try control.order(.name("gallery"), "first", deadline: 10)
        #expect(try control.commandRecords().records == [record(host, .silent)])
        let (first, _) = try host.command()

        try control.order(.name("gallery"), "second", sequence: 5)
        let (second, _) = try host.command()
        #expect(second > first)
        try host.send(.outcome(CommandReply(result: .done, text: "late")), sequence: first)
        try host.send(.outcome(CommandReply(result: .done, text: "in time")), sequence: second)
        #expect(try control.commandRecords(sequence: 5).records == [record(host, .done, "in time")])
    }

    @Test("the daemon does not wait for a host that dies, and sends no command to a host that died before")
    func gone() throws {
        let survivor = try host()
        var victim: RawPeer? = try host()
        let lost = record(try #require(victim), .gone)
        try control.order(.name("gallery"))
        _ = try victim?.command()
        victim = nil
        #expect(try control.commandRecord() == lost)
        try survivor.perform()
        #expect(try control.commandRecords().records == [record(survivor, .done)])

        try control.order(.name("gallery"))
        try survivor.perform()
        #expect(try control.commandRecords().records == [record(survivor, .done)])
    }

    @Test("a host that has not announced that it accepts commands gets none")
    func notAccepting() throws {
        let old = try RawPeer(daemon, host: "gallery")
        try control.order(.name("gallery"))
        #expect(try control.commandRecords().records == [record(old, .notAccepting)])
        // The host's first frame is the warning.
        try control.simulate(.patient(.warning))
        _ = try old.warning()
    }

    @Test("a host that does not read is undeliverable, and does not delay the others")
    func undeliverable() throws {
        let stuck = try host()
        let argument = String(repeating: "x", count: 2048)
        var outcome = CommandRecord.Outcome.silent
        // Its queue holds some hundred KiB.
        for _ in 0..<500 where outcome == .silent {
            try control.order(.id(stuck.id), argument: argument, deadline: 1)
            outcome = try control.commandRecords().records.first?.outcome ?? .done
        }
        #expect(outcome == .undeliverable)
        let other = try host()
        try control.order(.name("gallery"))
        #expect(try control.commandRecord() == record(stuck, .undeliverable))
        try other.perform()
        #expect(try control.commandRecords().records == [record(other, .done)])
    }

    @Test(
        "an unknown name or id causes an error that does not close the connection",
        arguments: [.name("gallery"), .id(99)] as [Send.Target]
    )
    func noSuchHost(target: Send.Target) throws {
        let host = try host("other")
        try control.order(target, sequence: 8)
        let (sequence, refusal) = try control.refusal()
        #expect(sequence == 8)
        #expect(refusal.code == .noSuchHost)
        try control.order(.name("other"))
        try host.perform()
        #expect(try control.commandRecords().records.map(\.outcome) == [.done])
    }

    @Test("several commands to one host are each answered to their own client, in any order")
    func several() throws {
        let host = try host()
        let second = try RawPeer(daemon)
        try control.order(.name("gallery"), "one")
        let (one, _) = try host.command()
        try second.order(.name("gallery"), "two", sequence: 5)
        let (two, command) = try host.command()
        #expect(command.name == "two")
        try host.send(.outcome(CommandReply(result: .done, text: "two")), sequence: two)
        #expect(try second.commandRecords(sequence: 5).records == [record(host, .done, "two")])
        #expect(!control.hasNews)
        try host.send(.outcome(CommandReply(result: .done, text: "one")), sequence: one)
        #expect(try control.commandRecords().records == [record(host, .done, "one")])
    }

    @Test("an unrequested answer is ignored, whichever host sends it")
    func unasked() throws {
        let hosts = try (0..<2).map { _ in try host() }
        let reply = Message.outcome(CommandReply(result: .done, text: "unasked"))
        try control.send(reply, sequence: 1)
        try hosts[0].send(reply, sequence: 77)
        try control.order(.id(hosts[1].id))
        let (number, _) = try hosts[1].command()
        // The number of another host's command.
        try hosts[0].send(reply, sequence: number)
        try hosts[0].waitUntilRead()
        try hosts[1].send(.outcome(CommandReply(result: .done, text: "asked")), sequence: number)
        try hosts[1].send(reply, sequence: number)
        #expect(try control.commandRecords().records == [record(hosts[1], .done, "asked")])
        #expect(try control.hosts().count == 2)
        #expect(!control.hasNews)
    }
}
