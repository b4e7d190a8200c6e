import CLinux
import Testing

@testable import Systemd

struct NoticeQueueTests {
    private func store(_ name: String) throws -> Notice {
        .store(name: name, try HeldDescriptors(duplicating: []))
    }

    /// Removes all notices, in order.
    private func drain(_ queue: inout NoticeQueue) -> [String] {
        var texts: [String] = []
        while let notice = queue.first {
            texts.append(notice.text)
            queue.removeFirst()
        }
        return texts
    }

    @Test func noticesKeepTheirOrder() throws {
        var queue = NoticeQueue(limit: 10)
        let notices = [try store("a"), .removal(name: "a"), .state("READY=1"), try store("b")]
        let accepted = notices.map { queue.append($0) }
        #expect(accepted == [true, true, true, true])
        #expect(queue.count == 4)
        let texts = drain(&queue)
        #expect(
            texts == ["FDSTORE=1\nFDNAME=a", "FDSTOREREMOVE=1\nFDNAME=a", "READY=1", "FDSTORE=1\nFDNAME=b"]
        )
        #expect(queue.isEmpty)
    }

    @Test("only the newest status is sent, after all other notices")
    func statuses() {
        var queue = NoticeQueue(limit: 10)
        for notice in [.status("1"), .state("RELOADING=1"), .status("2"), .removal(name: "a")] as [Notice] {
            _ = queue.append(notice)
        }
        #expect(!queue.isEmpty)
        let texts = drain(&queue)
        #expect(texts == ["RELOADING=1", "FDSTOREREMOVE=1\nFDNAME=a", "STATUS=2"])
    }

    @Test("a state with a status replaces an older status, but not a newer one")
    func statusOfAState() {
        var queue = NoticeQueue(limit: 10)
        for notice in [.status("1"), .state("READY=1", status: "2")] as [Notice] { _ = queue.append(notice) }
        let older = drain(&queue)
        for notice in [.state("READY=1", status: "1"), .status("2")] as [Notice] { _ = queue.append(notice) }
        let newer = drain(&queue)
        #expect(older == ["READY=1\nSTATUS=2"])
        #expect(newer == ["READY=1\nSTATUS=1", "STATUS=2"])
    }

    @Test("stores have a limit, removals have twice that limit, and state changes have none")
    func limits() throws {
        var queue = NoticeQueue(limit: 2)
        let notices = [try store("a"), try store("b"), try store("c")]
        let stores = notices.map { queue.append($0) }
        let removals = ["a", "b", "c"].map { queue.append(.removal(name: $0)) }
        let others = [.state("READY=1"), .status("x"), .state("STOPPING=1")].map { queue.append($0) }
        #expect(stores == [true, true, false])
        #expect(removals == [true, true, false])
        #expect(others == [true, true, true])
        // A drained queue has room again.
        _ = drain(&queue)
        let again = queue.append(try store("d"))
        #expect(again)
    }

    @Test func theQueueClosesDescriptorsOneByOne() throws {
        let pipes = try (0..<5).map { _ in try Pipe() }
        var queue = NoticeQueue(limit: 100)
        for pipe in pipes {
            _ = queue.append(.store(name: "a", try HeldDescriptors(duplicating: [pipe.writer])))
            pipe.closeWriter()
        }
        for number in 0..<5 {
            let closed = pipes.map(\.isAtEnd)
            #expect(closed == (0..<5).map { $0 < number })
            queue.removeFirst()
        }
        #expect(pipes.last?.isAtEnd == true)
    }

    @Test("many notices pass through the queue in their order")
    func many() {
        var queue = NoticeQueue(limit: 10_000)
        var expected: [String] = []
        var taken: [String] = []
        // Three in, two out, so that head and tail often pass each other's earlier positions.
        for number in 0..<9_000 {
            _ = queue.append(.removal(name: "\(number)"))
            expected.append("FDSTOREREMOVE=1\nFDNAME=\(number)")
            guard number % 3 != 0, let first = queue.first else { continue }
            taken.append(first.text)
            queue.removeFirst()
        }
        taken += drain(&queue)
        #expect(taken == expected)
    }
}
