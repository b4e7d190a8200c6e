import CLinux
import MemoryPressure
import MemwarnProgram
import Systemd
import Testing
import WarningPolicy

@testable import MemwarnProtocol
@testable import memwarnd

struct DeferredLogTests {
    /// Runs the loop until `isOver` is true for an entry that the journal reads, for 20 seconds at most.
    static func run(
        _ loop: EventLoop,
        reading journal: FakeJournal,
        until isOver: @escaping ([String: String]) -> Bool
    ) throws {
        let limit = try loop.timer(accuracy: .seconds(1)) { loop.exit(code: 1) }
        limit.arm(after: .seconds(20))
        let source = try loop.watch(journal.descriptor, for: .readable) { _ in
            if let entry = journal.next(), isOver(entry) { loop.exit(code: 0) }
        }
        let code = try withExtendedLifetime((limit, source)) { try loop.run() }
        #expect(code == 0, "the entries did not come in 20 s")
    }

    @Test func nothingIsWrittenBeforeTheLoopHasNothingElseToDo() throws {
        let (journal, loop) = (try FakeJournal(), try EventLoop())
        let log = try DeferredLog(journal.journal, loop: loop)
        log.started()
        #expect(journal.next() == nil)
        try Self.run(loop, reading: journal) { $0["MESSAGE"] == "memwarnd \(Version.current) started" }
    }

    @Test("a journal that does not read delays nothing, and later receives every entry in order")
    func fullQueue() throws {
        let (journal, loop) = (try FakeJournal(), try EventLoop())
        let log = try DeferredLog(journal.journal, loop: loop)
        for number in 0..<DeferredLog.capacity { log.opened("door", at: "\(number)") }
        log.flush()
        log.flush()
        #expect(log.dropped == 0)

        var places: [String] = []
        try Self.run(loop, reading: journal) { entry in
            places.append(entry["MEMWARND_PLACE"] ?? "")
            return places.count == DeferredLog.capacity
        }
        #expect(places == (0..<DeferredLog.capacity).map { "\($0)" })
    }

    @Test("entries that find no room are counted, and the count is reported once when the journal reads again")
    func dropped() throws {
        let (journal, loop) = (try FakeJournal(), try EventLoop())
        let log = try DeferredLog(journal.journal, loop: loop)
        for number in 0..<DeferredLog.capacity + 3 { log.opened("door", at: "\(number)") }
        #expect(log.dropped == 3)

        var count = 0
        var told: [String] = []
        try Self.run(loop, reading: journal) { entry in
            count += 1
            if let number = entry["MEMWARND_DROPPED"] { told.append(number) }
            if count == DeferredLog.capacity + 1 { log.stopped() }
            return entry["MESSAGE"] == "memwarnd stops on request"
        }
        #expect(told == ["3"])
        #expect(count == DeferredLog.capacity + 2)
        #expect(log.dropped == 3)
    }

    @Test("entries of a level and of a round that are announced again say so")
    func repetitions() throws {
        let (journal, loop) = (try FakeJournal(), try EventLoop())
        let log = try DeferredLog(journal.journal, loop: loop)
        let scope = WarningPolicy(seed: 1).scopes[0]
        log.level(of: scope, isRepeat: false)
        log.level(of: scope, isRepeat: true)
        log.round(
            RoundRecord {
                ($0.id, $0.level, $0.options, $0.scope) = (7, .critical, [.answerWanted, .repeated], "/a")
                ($0.hosts, $0.undeliverable) = (1, 1)
            },
            withheld: 0
        )
        var messages: [String] = []
        try Self.run(loop, reading: journal) { entry in
            messages.append(entry["MESSAGE"] ?? "")
            return messages.count == 3
        }
        #expect(messages[0].hasPrefix("memory pressure of / is normal: "))
        #expect(messages[1].hasPrefix("memory pressure of / is still normal: "))
        #expect(
            messages[2]
                == "round 7, critical (again), /a: 1 host, 0 answered, 0 silent, 1 undeliverable, 0 B released in 0.00 ms"
        )
    }

    @Test("without a journal the log drops its entries")
    func noJournal() throws {
        let loop = try EventLoop()
        let log = try DeferredLog(try FakeJournal().journal, loop: loop)
        for _ in 0..<DeferredLog.capacity { log.started() }
        log.flush()
        // There is room again.
        log.started()
        #expect(log.dropped == 0)
    }

    @Test func withheldRefusalsAreSummedUp() throws {
        let (journal, loop) = (try FakeJournal(), try EventLoop())
        let log = try DeferredLog(journal.journal, loop: loop)
        let refusal = Refusal(code: .malformed, message: "no")
        log.refused(FrameSocket.Peer(pid: 7, uid: 8), refusal, withheld: 0)
        log.refused(nil, refusal, withheld: 41)
        log.flush()
        #expect(
            journal.all().map { $0["MESSAGE"] } == [
                "refused pid 7 of uid 8: no", "refused a newcomer: no; 41 others were withheld before",
            ]
        )
    }

    @Test("a daemon whose log is not read continues to warn, and later reports how many entries are missing")
    func daemonGoesOn() throws {
        let daemon = try DaemonProcess()
        // More rounds than the log and its buffer hold. Several peers ask for them because one peer may not send that many
        // requests.
        for batch in 0..<6 {
            let host = try RawPeer(daemon, host: "host \(batch)")
            let control = try RawPeer(daemon)
            for _ in 0..<300 {
                try control.simulate(.patient(.warning, to: .name("host \(batch)")))
                try host.acknowledge(try host.warning().round)
                #expect(try control.round().answered == 1)
            }
        }
        guard case .counters(let counters)? = try RawPeer(daemon).page(.counters).records.first else {
            throw Unexpected("no counters")
        }
        #expect(counters.simulations[.warning] == 1_800)
        #expect(counters.answers.counts.reduce(0, +) == 1_800)
        #expect(counters.droppedEntries > 0)
        let line = try #require(daemon.log(containing: "could not keep up"))
        #expect(line == "memwarnd: the log could not keep up: \(counters.droppedEntries) entries are missing")
    }
}
