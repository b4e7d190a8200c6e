import CLinux
import MemoryPressure
import MemwarnProtocol
import Testing

@testable import memwarnd

struct PageTests {
    @Test("a page is sent record by record through a socket that accepts only a few frames, and always with its end")
    func narrow() throws {
        var ends: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
        // The kernel raises this to the smallest size that it allows.
        var size: CInt = 1
        setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
        let peer = try Peer(FrameSocket(taking: Descriptor(taking: ends[0])))
        let client = FrameSocket(taking: Descriptor(taking: ends[1]))

        let page = Page(Query(section: .hosts, after: 3), sequence: 7)
        var received: [Frame] = []
        var turns = 0
        while turns < 100 {
            turns += 1
            let rest = (page.after + 1)...200
            let sent = page.send(rest, to: peer, id: { $0 }, record: { id in .host(HostRecord { Self.fill(&$0, id) }) })
            received += try Self.drain(client)
            if sent == .sent { break }
            #expect(sent == .full)
        }
        #expect(turns > 10)
        #expect(received.allSatisfy { $0.sequence == 7 })
        let ids = received.compactMap { if case .host(let record) = $0.message { record.id } else { nil } }
        #expect(ids == Array(4...67))
        #expect(received.last?.message == .end(End(next: 67)))
    }

    @Test("a complete page has no next, and a removed record does no harm")
    func short() throws {
        var ends: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
        let peer = try Peer(FrameSocket(taking: Descriptor(taking: ends[0])))
        do {
            let client = FrameSocket(taking: Descriptor(taking: ends[1]))
            let page = Page(Query(section: .rounds), sequence: 1)
            #expect(page.send([UInt64(9)], to: peer, id: { $0 }, record: { .missed(Missed(count: $0)) }) == .sent)
            #expect(try Self.drain(client).map(\.message) == [.missed(Missed(count: 9)), .end(End())])
        }
        let page = Page(Query(section: .rounds), sequence: 1)
        #expect(page.send([UInt64(9)], to: peer, id: { $0 }, record: { .missed(Missed(count: $0)) }) == .closed)
    }

    /// Fills the record to its greatest length.
    private static func fill(_ record: inout HostRecord, _ id: UInt64) {
        record.id = id
        record.name = String(repeating: "n", count: TextLimit.name.upperBound)
        record.scope = String(repeating: "s", count: TextLimit.path.upperBound)
    }

    private static func drain(_ client: borrowing FrameSocket) throws -> [Frame] {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Frame.maximumSize, alignment: 8)
        defer { buffer.deallocate() }
        var frames: [Frame] = []
        while case .packet(let size) = client.receive(into: buffer) {
            frames.append(try Frame(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<size])))
        }
        return frames
    }
}
