import CLinux
import MemoryPressure
import MemwarnProtocol
import Testing

extension RawPeer {
    /// The next warning and the number of its round.
    func warning() throws -> (round: UInt64, warning: Warning) {
        let frame = try next()
        guard case .warning(let warning) = frame.message else { throw Unexpected("\(frame) instead of a warning") }
        return (frame.sequence, warning)
    }

    /// Answers a warning.
    func acknowledge(_ round: UInt64, released: UInt64 = 0, releasable: UInt64 = 0) throws {
        try send(.acknowledgement(.claiming(released, releasable: releasable)), sequence: round)
    }

    /// The next frame, which is a refusal, and its sequence number.
    func refusal() throws -> (sequence: UInt64, refusal: Refusal) {
        let frame = try next()
        guard case .error(let refusal) = frame.message else { throw Unexpected("\(frame) instead of an error") }
        return (frame.sequence, refusal)
    }

    /// Requests one page of records.
    func page(_ section: Query.Section, after: UInt64 = 0) throws -> (records: [Message], next: UInt64) {
        try send(.query(Query(section: section, after: after)), sequence: 7)
        var records: [Message] = []
        while true {
            let frame = try next()
            // Records of a subscription or a simulation may come in between.
            guard frame.sequence == 7 else { continue }
            if case .end(let end) = frame.message { return (records, end.next) }
            records.append(frame.message)
        }
    }

    /// All registered hosts.
    func hosts() throws -> [HostRecord] {
        var hosts: [HostRecord] = []
        var after: UInt64 = 0
        repeat {
            let (records, next) = try page(.hosts, after: after)
            hosts += records.compactMap { if case .host(let record) = $0 { record } else { nil } }
            after = next
        } while after > 0
        return hosts
    }

    /// Queries the daemon until `count` hosts are registered.
    func waitForHosts(_ count: UInt32) throws {
        let deadline = MonotonicInstant.now.advanced(by: .seconds(20))
        while MonotonicInstant.now < deadline {
            if case .daemon(let record)? = try page(.daemon).records.first, record.hosts == count { return }
            // The daemon would disconnect a client that empties its bucket of frames faster than it fills.
            var nothing = pollfd(fd: -1, events: 0)
            _ = poll(&nothing, 1, 5)
        }
        throw Unexpected("there never were \(count) hosts")
    }

    /// Queries the daemon until a scope's files are open.
    func waitForWatching(of path: String) throws {
        let deadline = MonotonicInstant.now.advanced(by: .seconds(20))
        while MonotonicInstant.now < deadline {
            for case .scope(let record) in try page(.scopes).records where record.path == path && record.rung != .none {
                return
            }
            // The daemon would disconnect a client that empties its bucket of frames faster than it fills.
            var nothing = pollfd(fd: -1, events: 0)
            _ = poll(&nothing, 1, 5)
        }
        throw Unexpected("\(path) never was watched")
    }

    /// Requests a warning without pressure, and receives the record of the round that has begun.
    @discardableResult
    func simulate(_ request: Simulate, sequence: UInt64 = 9) throws -> RoundRecord {
        try send(.simulate(request), sequence: sequence)
        return try round(sequence: sequence)
    }

    /// The next record of a round that was requested.
    func round(sequence: UInt64 = 9) throws -> RoundRecord {
        let frame = try next()
        guard case .round(let record) = frame.message, frame.sequence == sequence else {
            throw Unexpected("\(frame) instead of a round")
        }
        return record
    }
}

extension Acknowledgement {
    /// An answer that claims these bytes; its other figures are arbitrary.
    static func claiming(_ released: UInt64, releasable: UInt64 = 0) -> Self {
        Self(
            released: released,
            residentBefore: 64 << 20,
            residentAfter: (64 << 20) - min(released, 64 << 20),
            duration: 1_500,
            releasable: releasable
        )
    }
}

extension Simulate {
    /// A warning whose deadline no loaded machine misses.
    static func patient(_ level: PressureLevel, to target: Target = .all, bytesWanted: UInt64 = 0) -> Self {
        Self(level: level, target: target, bytesWanted: bytesWanted, deadline: 60_000)
    }
}
