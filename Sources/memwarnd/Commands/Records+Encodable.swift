import MemoryPressure
import MemwarnProtocol

/// The daemon's records as they appear in JSON: bytes, seconds and percent as plain numbers with their unit in the name.
struct ScopeEntry: Encodable {
    let id: UInt64
    let path: String
    let state: String
    let level: String
    let reason: ReasonEntry
    let secondsAtLevel: Double
    let rung: String
    let rungReason: String
    let windowSeconds: Double
    let hosts: UInt32
    let someStallSeconds: Double
    let fullStallSeconds: Double
    let suppressedEvents: UInt64
    let someAveragePercent: Double
    let fullAveragePercent: Double
    let highEvents: UInt64
    let maxEvents: UInt64
    /// Until its headroom is looked at again without an event; 0 if it is not.
    let samplingSeconds: Double
    let usedBytes: UInt64
    let limit: LimitEntry?

    init(_ record: ScopeRecord) {
        id = record.id
        path = record.path
        state = record.state == .present ? "present" : "gone"
        level = "\(record.level)"
        reason = ReasonEntry(record.reason)
        secondsAtLevel = Double(record.since) / 1e3
        rung = record.rung.name
        rungReason = record.rungReason
        windowSeconds = Double(record.window) / 1e6
        hosts = record.hosts
        someStallSeconds = Double(record.someTotal) / 1e6
        fullStallSeconds = Double(record.fullTotal) / 1e6
        suppressedEvents = record.suppressed
        someAveragePercent = record.someAverage.percent
        fullAveragePercent = record.fullAverage.percent
        highEvents = record.highEvents
        maxEvents = record.maxEvents
        samplingSeconds = Double(record.sampling) / 1e6
        usedBytes = record.used
        limit = record.limit.map(LimitEntry.init)
    }
}

/// A reason in JSON.
struct ReasonEntry: Encodable {
    let source: String
    let percent: Double
    let thresholdPercent: Double
    let limit: LimitEntry?

    init(_ reason: PressureReason) {
        source = "\(reason.source)"
        percent = reason.figure.percent
        thresholdPercent = reason.threshold.percent
        limit = reason.limit.map(LimitEntry.init)
    }
}

/// A binding limit in JSON.
struct LimitEntry: Encodable {
    let kind: String
    let bytes: UInt64
    let path: String

    init(_ limit: BindingLimit) {
        kind = "\(limit.kind)"
        bytes = limit.bytes
        path = limit.path
    }
}

/// A host in JSON.
struct HostEntry: Encodable {
    let id: UInt64
    let name: String
    let state: String
    let pid: UInt32
    let uid: UInt32
    let scope: String
    let priority: UInt8
    let level: String
    let releasableBytes: UInt64
    let lastRound: UInt64
    let outcome: String
    let releasedBytes: UInt64
    let residentBeforeBytes: UInt64
    let residentAfterBytes: UInt64
    let answerSeconds: Double
    let door: String
    /// `nil` if the host does not say.
    let allocator: String?

    init(_ record: HostRecord) {
        id = record.id
        name = record.name
        state = record.state == .present ? "registered" : "gone"
        pid = record.pid
        uid = record.uid
        scope = record.scope
        priority = record.priority
        level = "\(record.level)"
        releasableBytes = record.releasable
        lastRound = record.lastRound
        outcome = record.outcomeName
        releasedBytes = record.released
        residentBeforeBytes = record.residentBefore
        residentAfterBytes = record.residentAfter
        answerSeconds = Double(record.duration) / 1e6
        door = record.door.name
        allocator = record.allocator.name
    }
}

/// A round in JSON.
struct RoundEntry: Encodable {
    let id: UInt64
    let state: String
    let level: String
    let simulated: Bool
    let repeated: Bool
    /// Whether the hosts were asked to answer; not when they are told that the pressure is over.
    let answerWanted: Bool
    let reason: ReasonEntry
    let scope: String
    let bytesWanted: UInt64
    let hosts: UInt32
    let answered: UInt32
    let silent: UInt32
    let undeliverable: UInt32
    let releasedBytes: UInt64
    let residentFreedBytes: UInt64
    let ageSeconds: Double
    let durationSeconds: Double
    let stages: UInt8
    let stage: UInt8
    let unacknowledged: UInt32
    let usedBeforeBytes: UInt64
    let usedAfterBytes: UInt64
    let stallsBeforePercent: Double
    let stallsAfterPercent: Double
    let medianAnswerSeconds: Double
    let slowestAnswerSeconds: Double

    init(_ record: RoundRecord) {
        id = record.id
        state = record.state == .finished ? "finished" : "running"
        level = "\(record.level)"
        simulated = record.options.contains(.simulated)
        repeated = record.options.contains(.repeated)
        answerWanted = record.options.contains(.answerWanted)
        reason = ReasonEntry(record.reason)
        scope = record.scope
        bytesWanted = record.bytesWanted
        hosts = record.hosts
        answered = record.answered
        silent = record.silent
        undeliverable = record.undeliverable
        releasedBytes = record.released
        residentFreedBytes = record.residentFreed
        ageSeconds = Double(record.age) / 1e3
        durationSeconds = Double(record.duration) / 1e6
        stages = record.stages
        stage = record.stage
        unacknowledged = record.unacknowledged
        usedBeforeBytes = record.usedBefore
        usedAfterBytes = record.usedAfter
        stallsBeforePercent = record.stallsBefore.percent
        stallsAfterPercent = record.stallsAfter.percent
        medianAnswerSeconds = Double(record.medianAnswer) / 1e6
        slowestAnswerSeconds = Double(record.slowestAnswer) / 1e6
    }
}

extension ScopeRecord.Rung {
    /// What `status` calls it.
    var name: String {
        switch self {
        case .none: "none"
        case .privileged: "privileged trigger"
        case .unprivileged: "trigger"
        case .polling: "polling"
        case .events: "limit events"
        case .usage: "usage"
        case .available: "available memory"
        }
    }
}

extension HostAllocator {
    /// The word for it in tables and in JSON; `nil` if the host does not say.
    var name: String? { self == .unstated ? nil : "\(self)" }
}

extension HostRecord.Door {
    /// What `status` calls it.
    var name: String {
        switch self {
        case .native: "native"
        case .pressure: "pressure socket"
        }
    }
}

extension HostRecord.Outcome {
    /// What `status` and `simulate` call it.
    var name: String {
        switch self {
        case .none: "not asked"
        case .awaiting: "awaited"
        case .answered: "answered"
        case .silent: "silent"
        case .undeliverable: "undeliverable"
        case .unacknowledged: "unacknowledged"
        }
    }
}
