import CLinux
import MemoryPressure
import TestSupport
import Testing
import WarningPolicy

@testable import Systemd
@testable import memwarnd

struct CgroupMovesTests {
    private let cgroups: FakeCgroups
    private let loop: EventLoop
    private let moves: CgroupMoves
    private let place: SensorPlace

    init() throws {
        cgroups = try FakeCgroups(["/", "/a"])
        try cgroups.kernel.set("/sys/fs/cgroup/a/memory.max", "max\n")
        loop = try EventLoop()
        moves = try CgroupMoves(loop: loop)
        let cgroup = Cgroup(path: "/a", directory: cgroups.kernel.path("/sys/fs/cgroup/a"))
        place = SensorPlace(cgroup: cgroup, memory: MemoryCgroup(cgroup))
    }

    /// The scopes whose limits have changed, after all waiting events.
    private func heard() throws -> [ScopeID] {
        var scopes: [ScopeID] = []
        let end = try loop.deferred(priority: .idle) { [loop] in loop.exit(code: 0) }
        moves.moved = { if case .limitsMoved(let scope) = $0 { scopes.append(scope) } }
        end.schedule()
        _ = try loop.run()
        return scopes
    }

    private func write(_ cgroup: String = "/a") throws {
        let file = open(cgroups.kernel.path("/sys/fs/cgroup\(cgroup)/memory.max"), O_WRONLY)
        try #require(file >= 0)
        defer { close(file) }
        try #require(CLinux.write(file, "5\n", 2) == 2)
    }

    @Test("a write is reported even if a thread has added a watch and the loop has not recorded it yet")
    func news() throws {
        moves.beginAdding()
        let added = moves.watches.add(place)
        #expect(added.isWhole)
        try write()
        // The loop reads the notice before it knows whose file it concerns.
        try loop.step()
        moves.endAdding(added, for: 7)
        #expect(try heard() == [7])
    }

    @Test("a user that changes many limits at once does not delay the report of another's")
    func turns() throws {
        let paths = (1...20).map { "/user.slice/user-1000.slice/c\($0)" } + ["/system.slice/x.service"]
        for (index, path) in paths.enumerated() {
            try cgroups.kernel.set("/sys/fs/cgroup\(path)/memory.max", "max\n")
            let cgroup = Cgroup(path: path, directory: cgroups.kernel.path("/sys/fs/cgroup\(path)"))
            moves.beginAdding()
            let place = SensorPlace(cgroup: cgroup, memory: MemoryCgroup(cgroup))
            moves.endAdding(moves.watches.add(place), for: ScopeID(index + 1))
        }
        for path in paths { try write(path) }
        let scopes = try heard()
        #expect(scopes.count == 21 && scopes[1] == 21)
    }

    @Test("a watch that a newcomer shares outlives the first scope")
    func shared() throws {
        moves.beginAdding()
        moves.endAdding(moves.watches.add(place), for: 1)
        moves.beginAdding()
        let added = moves.watches.add(place)
        moves.forget(1, place)
        moves.endAdding(added, for: 2)
        try write()
        #expect(try heard() == [2])
    }

    @Test("a removed scope gets no reports")
    func forgotten() throws {
        moves.beginAdding()
        moves.endAdding(moves.watches.add(place), for: 1)
        moves.forget(1, place)
        try write()
        #expect(try heard().isEmpty)
    }
}
