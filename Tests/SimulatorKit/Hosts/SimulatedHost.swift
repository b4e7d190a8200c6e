import MemoryPressure
import MemwarnProtocol

/// A controller host: the client's session of the library, and a program with caches.
struct SimulatedHost {
    let index: Int
    var plan: Scenario.HostPlan
    var session: ClientSession
    /// The index of its program in the kernel while it runs.
    var program: Int?
    /// The number of its starts: messages to an earlier process are lost.
    var epoch = 0
    /// The host's end of the connection.
    var connection: Int32?
    /// Packets in its socket, the oldest first.
    var socket: [[UInt8]] = []
    /// Whether it does not read its socket.
    var isStuck = false
    /// Whether a read is in the queue.
    var isReading = false
    var behaviour = HostBehaviour.honest
    /// The warning that it is handling.
    var delivery: ClientSession.Delivery?
    /// The level that a daemon or the kernel last reported to its session, apart from simulations.
    var level = PressureLevel.normal
    /// When its next timer in the queue is due.
    var timer: UInt64?
    /// The files that it watches itself while there is no daemon.
    var files: Int?
    var judge: PressureJudge?
    /// The number of the reading for which it waits.
    var tick = 0

    /// The number of packets that its socket accepts: fewer than the dozen of a real socket, so that it is full at times.
    static let socketLimit = 4

    init(_ index: Int, _ plan: Scenario.HostPlan, seed: UInt64) {
        self.index = index
        self.plan = plan
        session = Self.session(index, plan, seed, epoch: 0)
    }

    private static func session(_ index: Int, _ plan: Scenario.HostPlan, _ seed: UInt64, epoch: Int) -> ClientSession {
        let hello = Hello(priority: plan.priority, name: "host-\(index)", accepts: index % 2 == 0 ? .commands : [])
        return ClientSession(hello, sockets: 1, seed: seed &+ UInt64(index * 1_000 + epoch))
    }

    /// Starts another process in place of the earlier one.
    mutating func begin(program: Int, seed: UInt64) {
        epoch += 1
        self.program = program
        session = Self.session(index, plan, seed, epoch: epoch)
        (connection, delivery, timer, files, judge) = (nil, nil, nil, nil, nil)
        socket = []
        isReading = false
        level = .normal
    }

    /// The bytes of its caches that it releases.
    func release(_ warning: Warning, of held: Double) -> Double {
        guard behaviour == .honest || behaviour == .slow || behaviour == .flooding else { return 0 }
        if warning.level == .critical { return held }
        // If the bytes wanted are unknown, it releases memory that is cheap to rebuild.
        return warning.bytesWanted > 0 ? min(held, Double(warning.bytesWanted)) : held / 2
    }

    /// The time that it takes to answer, in nanoseconds.
    var answerTime: UInt64 {
        let time = UInt64(plan.answerTime * 1e9)
        return behaviour == .slow ? time + 3_500_000_000 : time
    }

    /// Whether it follows warnings in time.
    var cooperates: Bool { (behaviour == .honest || behaviour == .flooding) && !isStuck }
}
