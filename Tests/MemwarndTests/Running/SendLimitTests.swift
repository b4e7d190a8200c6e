import MemwarnProtocol
import TestSupport
import Testing

/// The daemon limits the memory that a client can make it hold.
struct SendLimitTests {
    private let daemon: DaemonProcess

    init() throws {
        daemon = try DaemonProcess()
    }

    @Test("one user may have sixteen commands in progress; commands of a client that has left no longer count")
    func sixteen() throws {
        let host = try RawPeer(daemon, host: "gallery", accepts: .commands)
        let control = try RawPeer(daemon)
        do {
            let clients = try (0..<16).map { _ in try RawPeer(daemon) }
            for client in clients {
                try client.order(.name("gallery"))
                _ = try host.command()
            }
            try control.order(.name("gallery"))
            let (sequence, refusal) = try control.refusal()
            #expect(sequence == 4)
            #expect(refusal.code == .tooManyRequests)
        }
        // The daemon handles one peer after the other, so it may detect some clients' hang-ups only after this.
        var isRefused = true
        for _ in 0..<200 where isRefused {
            try control.order(.name("gallery"), sequence: 4)
            // A refusal arrives before the answer to this query.
            try control.send(.query(Query(section: .daemon)), sequence: 7)
            isRefused = try control.next().sequence == 4
            while try control.next().message != .end(End()) {}
        }
        #expect(!isRefused)
        try host.perform()
        #expect(try control.commandRecords().records.map(\.outcome) == [.done])
    }

    @Test("a client that reads slowly loses none of the daemon's own messages, however many hosts there are")
    func slowReader() throws {
        let count = 600
        let hosts = try (0..<count).map { _ in try RawPeer(daemon, host: "old") }
        let control = try RawPeer(daemon)
        try control.order(.name("old"))
        // There are more records than the client's queue holds, and none is read before the daemon has begun to wait.
        try control.waitUntilRead()
        let (records, missed) = try control.commandRecords()
        #expect(records.map(\.id) == hosts.map(\.id))
        #expect(missed == 0)
    }

    @Test("a client's unread answers beyond the limit are only counted")
    func missed() throws {
        let count = 300
        let hosts = try (0..<count).map { _ in try RawPeer(daemon, host: "new", accepts: .commands) }
        let control = try RawPeer(daemon)
        try control.order(.name("new"))
        let text = String(repeating: "x", count: 2048)
        for host in hosts { try host.perform(.done, text) }
        for host in hosts { try host.waitUntilRead() }
        let (records, missed) = try control.commandRecords()
        #expect(missed > 0)
        #expect(UInt64(records.count) + missed == UInt64(count))
        #expect(records.allSatisfy { $0.text == text })
    }
}
