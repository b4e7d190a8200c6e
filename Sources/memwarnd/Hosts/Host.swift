import MemoryPressure
import MemwarnProtocol

/// A registered controller host, as the daemon sees it.
final class Host {
    let id: UInt64
    let name: String
    let priority: UInt8
    /// What it takes besides warnings.
    let accepts: HostMessages
    /// What is behind malloc(3) in its process.
    let allocator: HostAllocator
    let process: FrameSocket.Peer
    /// Where its warnings come from; moves with the process.
    var scope: Scope
    /// What it said it could give back, in bytes.
    var releasable: UInt64
    /// The level it was told last, simulated ones not counted.
    var told: PressureLevel
    /// What became of the last warning it was sent.
    var delivery: Delivery?
    /// What it is to be told as soon as it has answered, or failed to, the warning that is in flight: the newest only.
    var owed: Debt?
    /// The scope whose pressure it was warned of last, which need not be its own.
    weak var warnedFor: Scope?
    /// The way to it, which owns it.
    unowned let link: any HostLink

    init(
        id: UInt64,
        hello: Hello,
        process: FrameSocket.Peer,
        scope: Scope,
        told: PressureLevel,
        link: any HostLink
    ) {
        self.id = id
        name = hello.name
        priority = hello.priority
        accepts = hello.accepts
        allocator = hello.allocator
        releasable = hello.releasable
        self.process = process
        self.scope = scope
        self.told = told
        self.link = link
    }

    /// A round that it has not been told of yet, and its part of what is wanted.
    struct Debt {
        var round: Round
        var bytesWanted: UInt64
    }

    /// One warning to one host.
    struct Delivery {
        var round: UInt64
        var outcome: HostRecord.Outcome
        var sent: MonotonicInstant
        var answer: Acknowledgement?
    }

    /// The level that it believes in once it has been told what it is owed; simulated ones do not count.
    var believed: PressureLevel {
        if let owed, !owed.round.options.contains(.simulated) { owed.round.level } else { told }
    }

    /// Whether its last answer said that it had nothing left to give.
    var isExhausted: Bool {
        guard let answer = delivery?.answer else { return false }
        return answer.released == 0 && answer.releasable == 0
    }

    /// Whether a warning is in flight: sent, neither answered nor given up.
    var isAwaited: Bool { delivery?.outcome == .awaiting }

    func record(_ state: RecordState) -> HostRecord {
        HostRecord(
            id: id,
            state: state,
            pid: process.pid,
            uid: process.uid,
            priority: priority,
            level: told,
            releasable: releasable,
            lastRound: delivery?.round ?? 0,
            outcome: delivery?.outcome ?? .none,
            released: delivery?.answer?.released ?? 0,
            residentBefore: delivery?.answer?.residentBefore ?? 0,
            residentAfter: delivery?.answer?.residentAfter ?? 0,
            duration: delivery?.answer?.duration ?? 0,
            name: name,
            scope: scope.path.prefix(utf8: TextLimit.path.upperBound),
            door: link.door,
            allocator: allocator
        )
    }
}
