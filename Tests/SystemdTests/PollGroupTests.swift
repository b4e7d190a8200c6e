import CLinux
import Testing

@testable import Systemd

struct PollGroupTests {
    /// A socket pair; a write to `far` makes `near` readable.
    private final class Pair {
        let near: CInt
        let far: CInt

        init() throws {
            var ends: [CInt] = [-1, -1]
            try #require(socketpair(AF_UNIX, CInt(SOCK_DGRAM.rawValue), 0, &ends) == 0)
            (near, far) = (ends[0], ends[1])
        }

        deinit {
            close(near)
            close(far)
        }

        func write() {
            send(far, "x", 1, 0)
        }

        func read() {
            var byte: UInt8 = 0
            recv(near, &byte, 1, Int32(MSG_DONTWAIT))
        }
    }

    @Test("each readable member is reported, even if there are many more than fit in a batch")
    func manyMembers() throws {
        let loop = try EventLoop()
        let pairs = try (0..<300).map { _ in try Pair() }
        var reported: Set<CInt> = []
        let group = try PollGroup(on: loop) { fd, _ in
            reported.insert(fd)
            pairs.first { $0.near == fd }?.read()
            if reported.count == pairs.count { loop.exit(code: 0) }
        }
        for pair in pairs {
            try group.add(pair.near)
            pair.write()
        }
        #expect(try loop.run() == 0)
        #expect(reported == Set(pairs.map(\.near)))
    }

    /// Uses up a turn, as a busy handler does.
    private static func work() {
        let start = ContinuousClock.now
        while ContinuousClock.now - start < PollGroup.turn {}
    }

    @Test("a slow handler yields at once, and all members still get their turn")
    func slowHandlers() throws {
        let loop = try EventLoop()
        // As many as the kernel reports in one call, always in the same order.
        let pairs = try (0..<64).map { _ in try Pair() }
        let urgent = try Pair()
        var reported: [CInt] = []
        var turns: [Int] = []
        // The handler reads nothing: all members stay readable.
        let group = try PollGroup(on: loop) { fd, _ in
            reported.append(fd)
            urgent.write()
            Self.work()
        }
        let source = try loop.watch(urgent.near, for: .readable, priority: .important) { _ in
            urgent.read()
            turns.append(reported.count)
            if reported.count >= 2 * pairs.count { loop.exit(code: 0) }
        }
        for pair in pairs {
            try group.add(pair.near)
            pair.write()
        }
        #expect(try loop.run() == 0)
        #expect(turns == Array(1...2 * pairs.count))
        #expect(Set(reported.prefix(pairs.count)) == Set(pairs.map(\.near)))
        withExtendedLifetime((group, source)) {}
    }

    @Test("the only member of an account does not wait for all members of another, and each of those gets its turn")
    func accounts() throws {
        let loop = try EventLoop()
        let pairs = try (0..<150).map { _ in try Pair() }
        let only = try Pair()
        var reported: [CInt] = []
        // The handler reads nothing: all members stay readable.
        let group = try PollGroup(on: loop) {
            FairQueue.Owner(account: $0 == only.near ? 2 : 1, user: 0)
        } handler: { fd, _ in
            reported.append(fd)
            if reported.count == 2 * pairs.count + 1 { loop.exit(code: 0) }
        }
        for pair in pairs + [only] {
            try group.add(pair.near)
            pair.write()
        }
        #expect(try loop.run() == 0)
        #expect(reported[1] == only.near)
        // This member gets one turn each time the kernel is asked for ready members, and the others get the rest.
        #expect(Set(reported) == Set((pairs + [only]).map(\.near)))
        withExtendedLifetime(group) {}
    }

    @Test("a member that is removed before its turn is not reported")
    func removedBefore() throws {
        let loop = try EventLoop()
        let pairs = try (0..<3).map { _ in try Pair() }
        var reported: [CInt] = []
        var group: PollGroup?
        group = try PollGroup(on: loop) { fd, _ in
            reported.append(fd)
            if reported.count == 1 {
                group?.remove(pairs[1].near)
            } else {
                loop.exit(code: 0)
            }
        }
        for pair in pairs {
            try group?.add(pair.near)
            pair.write()
        }
        #expect(try loop.run() == 0)
        #expect(reported == [pairs[0].near, pairs[2].near])
    }

    @Test("a more important source gets its turn between two batches")
    func importantSourcesFirst() throws {
        let loop = try EventLoop()
        let pairs = try (0..<200).map { _ in try Pair() }
        let urgent = try Pair()
        var reports = 0
        // The handler reads nothing: all members stay readable.
        let group = try PollGroup(on: loop) { _, _ in
            reports += 1
            if reports == 1 { urgent.write() }
        }
        let source = try loop.watch(urgent.near, for: .readable, priority: .important) { _ in loop.exit(code: 0) }
        for pair in pairs {
            try group.add(pair.near)
            pair.write()
        }
        #expect(try loop.run() == 0)
        #expect((1..<200).contains(reports), "\(reports) reports came before it")
        withExtendedLifetime((group, source)) {}
    }

    @Test func aMemberThatWasRemovedIsNotReportedAgain() throws {
        let loop = try EventLoop()
        let removed = try Pair()
        let last = try Pair()
        var reports: [CInt] = []
        var group: PollGroup?
        group = try PollGroup(on: loop) { fd, _ in
            reports.append(fd)
            if fd == removed.near {
                group?.remove(fd)
                last.write()
            } else {
                loop.exit(code: 0)
            }
        }
        try group?.add(removed.near)
        try group?.add(last.near)
        removed.write()
        #expect(try loop.run() == 0)
        #expect(reports == [removed.near, last.near])
    }

    @Test("a member that was full is reported once when it accepts data again, and is read as before")
    func room() throws {
        let loop = try EventLoop()
        let pair = try Pair()
        while send(pair.near, "x", 1, Int32(MSG_DONTWAIT)) == 1 {}
        var events: [PollGroup.Event] = []
        let group = try PollGroup(on: loop) { _, event in
            events.append(event)
            if event == .readable { loop.exit(code: 0) } else { pair.write() }
        }
        try group.add(pair.near)
        group.awaitRoom(pair.near)
        var bytes = [UInt8](repeating: 0, count: 4096)
        while recv(pair.far, &bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
        #expect(try loop.run() == 0)
        #expect(events == [.writable, .readable])
        withExtendedLifetime(group) {}
    }

    @Test("a member that must not be read before it accepts data is not reported as readable")
    func roomFirst() throws {
        let loop = try EventLoop()
        let full = try Pair()
        let other = try Pair()
        while send(full.near, "x", 1, Int32(MSG_DONTWAIT)) == 1 {}
        var events: [(CInt, PollGroup.Event)] = []
        let group = try PollGroup(on: loop) { fd, event in
            events.append((fd, event))
            guard fd == other.near else { return event == .readable ? loop.exit(code: 0) : () }
            other.read()
            var byte: UInt8 = 0
            while recv(full.far, &byte, 1, Int32(MSG_DONTWAIT)) == 1 {}
        }
        try group.add(full.near)
        try group.add(other.near)
        group.awaitRoom(full.near, isRead: false)
        full.write()
        other.write()
        #expect(try loop.run() == 0)
        #expect(events.map(\.0) == [other.near, full.near, full.near])
        #expect(events.map(\.1) == [.readable, .writable, .readable])
        withExtendedLifetime(group) {}
    }

    @Test("a member whose other end is closed has hung up, even while it is not being read")
    func hangUp() throws {
        let loop = try EventLoop()
        var ends: [CInt] = [-1, -1]
        try #require(socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
        defer { close(ends[0]) }
        var events: [PollGroup.Event] = []
        let group = try PollGroup(on: loop) { _, event in
            events.append(event)
            loop.exit(code: 0)
        }
        try group.add(ends[0])
        group.awaitRoom(ends[0], isRead: false)
        send(ends[1], "x", 1, 0)
        close(ends[1])
        #expect(try loop.run() == 0)
        #expect(events == [.hungUp])
        withExtendedLifetime(group) {}
    }

    @Test func aDescriptorThatCannotBePolledIsAnError() throws {
        let group = try PollGroup(on: EventLoop()) { _, _ in }
        let file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        let error = #expect(throws: SystemdError.self) { try group.add(file) }
        #expect(error?.errno == EPERM)
    }
}
