import CLinux
import MemwarnProtocol
import Systemd
import TestSupport
import Testing

@testable import memwarnd

struct RegistrationFileTests {
    private static func registration(_ id: UInt64) -> HostRegistration {
        HostRegistration(id: id, door: .native, hello: Hello(name: "host \(id)"))
    }

    /// Opens a file as the next daemon does.
    private static func reopen(_ file: RegistrationFile) throws -> RegistrationFile {
        try #require(RegistrationFile(adopting: fcntl(file.fd, F_DUPFD_CLOEXEC, 3)))
    }

    @Test("the longest registration fits a record")
    func longest() throws {
        let hello = Hello(
            priority: .max,
            releasable: .max,
            name: String(repeating: "x", count: TextLimit.name.upperBound),
            accepts: .commands,
            allocator: .tcmalloc
        )
        #expect(HostRegistration(id: 1 << 62, door: .pressure, hello: hello).encoded.count <= RecordFile.recordLimit)
    }

    @Test func theNextDaemonFindsTheRegistrations() throws {
        let file = try RegistrationFile()
        for id: UInt64 in 1...3 { try file.write(Self.registration(id)) }
        let next = try Self.reopen(file)
        #expect((1...3).map { next.registration(of: $0) } == (1...3).map(Self.registration))
        #expect(next.registration(of: 4) == nil)
    }

    @Test("places of hosts that left are reused, and the highest number is remembered")
    func places() throws {
        let file = try RegistrationFile()
        for id: UInt64 in 1...3 { try file.write(Self.registration(id)) }
        for id: UInt64 in [3, 1] { file.remove(id) }
        #expect(try Self.reopen(file).lastHost == 3)
        for id: UInt64 in 4...5 { try file.write(Self.registration(id)) }
        let next = try Self.reopen(file)
        #expect((1...5).map { next.registration(of: $0)?.id } == [nil, 2, nil, 4, 5])
        // The next daemon reuses the places of hosts that it does not keep.
        next.keepOnly([4])
        for id: UInt64 in 6...7 { try next.write(Self.registration(id)) }
        let third = try Self.reopen(next)
        #expect((1...7).map { third.registration(of: $0)?.id } == [nil, nil, nil, 4, nil, 6, 7])
    }

    @Test("a file of another kind is refused", arguments: ["", "memwarnd hosts 2", "memwarnd state 1"])
    func others(_ heading: String) throws {
        let file = try RecordFile(name: "other")
        if !heading.isEmpty { try file.write(Array(heading.utf8), at: 0) }
        #expect(RegistrationFile(adopting: fcntl(file.fd, F_DUPFD_CLOEXEC, 3)) == nil)
    }

    @Test("invalid records count as free places")
    func garbage() throws {
        let file = try RegistrationFile()
        try file.write(Self.registration(1))
        let raw = RecordFile(adopting: fcntl(file.fd, F_DUPFD_CLOEXEC, 3))
        try raw.write([1, 2, 3], at: 2)
        let next = try Self.reopen(file)
        try next.write(Self.registration(2))
        #expect(try raw.count() == 3)
        #expect(try Self.reopen(next).registration(of: 2) == Self.registration(2))
    }
}
