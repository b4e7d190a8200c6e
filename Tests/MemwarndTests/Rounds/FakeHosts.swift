import MemoryPressure
import Systemd
import Testing

@testable import MemwarnProtocol
@testable import memwarnd

/// A registered host without a connection: it keeps the frames that were sent to it.
final class FakeHost {
    let host: Host
    private let inbox: Inbox

    init(
        id: UInt64,
        in scope: Scope,
        door: HostRecord.Door = .native,
        priority: UInt8 = 128,
        releasable: UInt64 = 0
    ) {
        let inbox = Inbox(door)
        self.inbox = inbox
        host = Host(
            id: id,
            hello: Hello(priority: priority, releasable: releasable, name: "fake"),
            process: inbox.process,
            scope: scope,
            told: .normal,
            link: inbox
        )
    }

    private final class Inbox: HostLink {
        let door: HostRecord.Door
        let fileDescriptor: CInt = -1
        let process = FrameSocket.Peer(pid: 1, uid: 0)
        var frames: [Frame] = []
        var result = FrameSocket.Sent.sent

        init(_ door: HostRecord.Door) {
            self.door = door
        }

        func warn(_ packet: WarningPacket) -> FrameSocket.Sent { send(packet.bytes) }

        func send(_ packet: UnsafeRawBufferPointer) -> FrameSocket.Sent {
            if result == .sent, let frame = try? Frame(decoding: packet) { frames.append(frame) }
            return result
        }
    }

    /// What becomes of the packets that are sent to it from now on.
    var sent: FrameSocket.Sent {
        get { inbox.result }
        set { inbox.result = newValue }
    }

    private var frames: [Frame] { inbox.frames }

    /// The rounds that it was warned of, in order.
    var rounds: [UInt64] { frames.map(\.sequence) }
    /// What it was asked for, in order, in bytes.
    var wanted: [UInt64] {
        frames.compactMap { if case .warning(let warning) = $0.message { warning.bytesWanted } else { nil } }
    }
    /// The levels that it was told, in order.
    var levels: [PressureLevel] {
        frames.compactMap { if case .warning(let warning) = $0.message { warning.level } else { nil } }
    }
}

extension Scope {
    /// A scope that nothing is known about.
    static func unwatched(_ path: String, on loop: EventLoop) -> Scope {
        Scope(
            id: 1,
            path: path,
            place: .host,
            kernel: KernelTree(root: "/nonexistent"),
            policy: SensorPolicy(),
            loop: loop
        )
    }
}

/// Rounds, with as many fake hosts as a test wants.
final class RoundsBench {
    let loop: EventLoop
    let rounds: Rounds
    let hosts: [FakeHost]
    private(set) var finished: [Round] = []
    private var awaited = 0

    init(hosts count: Int) throws {
        loop = try EventLoop()
        rounds = try Rounds(configuration: Configuration(), loop: loop)
        let scope = Scope.unwatched("/", on: loop)
        hosts = (0..<count).map { FakeHost(id: UInt64($0 + 1), in: scope) }
        rounds.hosts = { [unowned self] in hosts.map(\.host) }
        rounds.finished = { [unowned self] round in
            finished.append(round)
            if awaited > 0, finished.count >= awaited { loop.exit(code: 0) }
        }
    }

    /// Warns all hosts.
    @discardableResult
    func begin(
        _ level: PressureLevel,
        _ options: WarningOptions = .answerWanted,
        deadline: Duration = .seconds(60)
    ) -> Round {
        let cause = Rounds.Cause(
            level: level,
            options: options,
            reason: PressureReason(.someStall, figure: .percent(43.2), threshold: .percent(40)),
            scope: "/",
            deadline: deadline
        )
        return rounds.begin(cause, hosts.map { Rounds.Target(host: $0.host) })
    }

    func answer(_ index: Int, round: UInt64, released: UInt64 = 0, releasable: UInt64 = 0) {
        rounds.answer(hosts[index].host, round: round, .claiming(released, releasable: releasable))
    }

    /// Lets time pass until so many rounds are over; once only.
    func wait(forRounds count: Int) throws {
        awaited = count
        let limit = try loop.timer(accuracy: .seconds(1)) { [unowned self] in loop.exit(code: 99) }
        limit.arm(after: .seconds(20))
        try #require(try withExtendedLifetime(limit) { try loop.run() } == 0, "the rounds did not end")
    }
}
