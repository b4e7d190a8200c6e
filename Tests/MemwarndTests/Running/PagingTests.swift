import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

@Suite("Pages of records")
struct PagingTests {
    /// The queries have more records than a socket's queue holds.
    private static let queries: UInt64 = 40

    @Test("a client that requests more than its queue holds gets every page with its end once it reads")
    func pipelined() throws {
        let daemon = try DaemonProcess()
        let hosts = try (0..<70).map { try RawPeer(daemon, host: "host \($0)") }
        let client = try RawPeer(daemon)
        for sequence in 1...Self.queries { try client.send(.query(Query(section: .hosts)), sequence: sequence) }
        // Unread records of one client do not affect another.
        #expect(try RawPeer(daemon).hosts().count == hosts.count)
        for sequence in 1...Self.queries {
            var ids: [UInt64] = []
            var end: End?
            while end == nil {
                let frame = try client.next()
                try #require(frame.sequence == sequence)
                switch frame.message {
                case .host(let record): ids.append(record.id)
                case .end(let last): end = last
                default: throw Unexpected("\(frame) on a page of hosts")
                }
            }
            #expect(ids == hosts.prefix(Query.maximumRecords).map(\.id))
            #expect(end?.next == ids.last)
        }
        #expect(try client.hosts().count == hosts.count)
    }

    @Test("replies of one frame all arrive as well, in the order of the requests")
    func refusals() throws {
        let daemon = try DaemonProcess()
        let client = try RawPeer(daemon)
        // The queue for the client's requests holds all of them, but the daemon's queue does not hold all answers, two to a query.
        let queries: UInt64 = 130
        let requests: UInt64 = 270
        for sequence in 1...queries { try client.send(.query(Query(section: .daemon)), sequence: sequence) }
        for sequence in queries + 1...requests { try client.order(.name("absent"), sequence: sequence) }
        for sequence in 1...queries {
            try #require(client.next().sequence == sequence)
            try #require(client.next() == Frame(sequence: sequence, message: .end(End())))
        }
        for sequence in queries + 1...requests {
            let (answered, refusal) = try client.refusal()
            try #require(answered == sequence && refusal.code == .noSuchHost)
        }
        #expect(try client.hosts().isEmpty)
    }

    @Test("a client that leaves without having read its pages is disconnected")
    func abandoned() throws {
        let daemon = try DaemonProcess()
        let hosts = try (0..<64).map { try RawPeer(daemon, host: "host \($0)") }
        // Only sockets are counted: a thread may still have files of the hosts' cgroups open.
        let before = try daemon.socketCount()
        do {
            let client = try RawPeer(daemon)
            for sequence in 1...Self.queries { try client.send(.query(Query(section: .hosts)), sequence: sequence) }
        }
        let deadline = MonotonicInstant.now.advanced(by: .seconds(20))
        while try daemon.socketCount() > before, MonotonicInstant.now < deadline { sched_yield() }
        #expect(try daemon.socketCount() == before)
        #expect(try RawPeer(daemon).hosts().count == hosts.count)
    }

    @Test("a subscriber whose queue is full of events gets its answers once it reads")
    func subscriber() throws {
        let daemon = try DaemonProcess()
        let client = try RawPeer(daemon)
        try client.send(.subscribe, sequence: 1)
        try #require(client.next().message == .end(End()))
        // Each host connects and leaves, which makes two events.
        for number in 0..<400 { _ = try RawPeer(daemon, host: "host \(number)") }
        try RawPeer(daemon).waitForHosts(0)
        try client.send(.query(Query(section: .daemon)), sequence: 2)
        var answers: [Message] = []
        while answers.count < 2 {
            let frame = try client.next()
            if frame.sequence == 2 { answers.append(frame.message) }
        }
        guard case .daemon = answers[0] else { throw Unexpected("\(answers[0]) instead of the daemon") }
        #expect(answers[1] == .end(End()))
    }
}
