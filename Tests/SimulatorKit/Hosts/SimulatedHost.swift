import MemoryPressure
import MemwarnProtocol

/// A controller host: the client's session as the library runs it, and a program with caches behind it.
struct SimulatedHost {
    let index: Int
    var plan: Scenario.HostPlan
    var session: ClientSession
    /// The program's number in the kernel while it runs.
    var program: Int?
    /// How often it was started: what was on its way to an earlier process finds none.
    var epoch = 0
    /// Its end of the connection.
    var connection: Int32?
    /// Packets in its socket, the oldest first.
    var socket: [[UInt8]] = []
    /// Whether it does not read its socket.
    var isStuck = false
    /// Whether a read is in the queue.
    var isReading = false
    var behaviour = HostBehaviour.honest
    /// The warning that it is busy with.
    var delivery: ClientSession.Delivery?
    /// The level that its session was told last by a daemon or the kernel, simulations aside.
    var level = PressureLevel.normal
    /// When its next timer is in the queue.
    var timer: UInt64?
    /// What it watches itself, without a daemon.
    var files: Int?
    var judge: PressureJudge?
    /// The number of the look that it waits for.
    var tick = 0

    /// How many packets its socket takes: fewer than the dozen of a real one, so that it is full now and then.
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

    /// Another process takes its place.
    mutating func begin(program: Int, seed: UInt64) {
        epoch += 1
        self.program = program
        session = Self.session(index, plan, seed, epoch: epoch)
        (connection, delivery, timer, files, judge) = (nil, nil, nil, nil, nil)
        socket = []
        isReading = false
        level = .normal
    }

    /// How much it gives back of what its caches hold, in bytes.
    func release(_ warning: Warning, of held: Double) -> Double {
        guard behaviour == .honest || behaviour == .slow || behaviour == .flooding else { return 0 }
        if warning.level == .critical { return held }
        // Where it is not known how much is wanted, what is cheap to make again goes.
        return warning.bytesWanted > 0 ? min(held, Double(warning.bytesWanted)) : held / 2
    }

    /// How long it takes to answer, in nanoseconds.
    var answerTime: UInt64 {
        let time = UInt64(plan.answerTime * 1e9)
        return behaviour == .slow ? time + 3_500_000_000 : time
    }

    /// Whether it does what it is asked for, in time.
    var cooperates: Bool { (behaviour == .honest || behaviour == .flooding) && !isStuck }
}
