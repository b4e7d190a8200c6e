import MemoryPressure
import Testing

@testable import WarningPolicy

struct ScopeTableTests {
    /// A table of scopes with these paths, with ids from 2 on.
    private static func table(_ paths: [String], levels: [PressureLevel] = []) -> ScopeTable {
        var table = ScopeTable(SensorPolicy())
        for (index, path) in paths.enumerated() {
            let level = index < levels.count ? levels[index] : .normal
            _ = table.open(path, .cgroup(path), SensorPolicy(), level: level, at: MonotonicInstant(nanoseconds: 1))
        }
        return table
    }

    @Test(
        "a scope contains the paths below it, but not paths that only begin with the same bytes",
        arguments: [
            ("/a", "/a", true), ("/a/b", "/a", true), ("/ab", "/a", false), ("/a", "/a/b", false), ("/a", "/", true),
            ("/", "/", true), ("/a", "/.", true), ("/", "/.", false), ("/.", "/", true),
            // The same letters, composed and decomposed: for the kernel these are two cgroups.
            ("/caf\u{E9}/b", "/cafe\u{301}", false), ("/caf\u{E9}/b", "/caf\u{E9}", true),
        ]
    )
    func within(path: String, ancestor: String, expected: Bool) {
        #expect(path.isWithin(ancestor) == expected)
    }

    @Test("the worst level on the way up binds, among equal levels the closest, whatever the order of opening")
    func binding() {
        for paths in [["/a", "/a/b", "/a/b/c"], ["/a/b/c", "/a/b", "/a"], ["/a/b", "/a/b/c", "/a"]] {
            var table = Self.table(paths)
            func binding(_ path: String) -> String {
                table[table.binding(table.id(at: path) ?? 0)].path
            }
            func set(_ path: String, _ level: PressureLevel) {
                if let index = table.all.firstIndex(where: { $0.path == path }) { table[index].level = level }
            }
            #expect(binding("/a/b/c") == "/a/b/c")
            set("/a", .warning)
            #expect(binding("/a/b/c") == "/a")
            set("/a/b", .warning)
            #expect(binding("/a/b/c") == "/a/b")
            set("/", .critical)
            #expect(binding("/a/b/c") == "/")
            #expect(table.worst == .critical)
            set("/", .normal)
            table.close(table.all.first { $0.path == "/a/b" }?.id ?? 0)
            #expect(binding("/a/b/c") == "/a", "what lay in between is gone")
        }
    }

    @Test("the root of a cgroup namespace is between the host and all cgroups")
    func namespaceRoot() {
        for paths in [["/.", "/a"], ["/a", "/."]] {
            let table = Self.table(paths, levels: paths.map { $0 == "/." ? .warning : .normal })
            #expect(table[table.binding(table.id(at: "/a") ?? 0)].path == "/.")
            #expect(table[table.binding(ScopeID.wholeHost)].path == "/")
        }
    }

    @Test("an unknown id is bound by the whole host, which cannot be closed")
    func unknown() {
        var table = Self.table(["/a"])
        #expect(table[table.binding(77)].path == "/")
        table.close(ScopeID.wholeHost)
        table.close(77)
        #expect(table.all.map(\.path) == ["/", "/a"])
    }

    @Test(
        "scopes that may help: those inside, those under the same limit, and for the whole machine all",
        arguments: [
            ("/a/b", nil, [.inside, .inside, .beside, .rest]),
            ("/a/b", BindingLimit(.machine, bytes: 1, path: "/"), [.inside, .inside, .beside, .rest]),
            ("/a/b", BindingLimit(.max, bytes: 1, path: "/a/b"), [.inside, .inside, nil, nil]),
            ("/a/b", BindingLimit(.high, bytes: 1, path: "/a"), [.inside, .inside, .beside, nil]),
            ("/a/b", BindingLimit(.v1, bytes: 1, path: "/a"), [.inside, .inside, nil, nil]),
            ("/", nil, [.inside, .inside, .inside, .inside]),
            ("/d", nil, [.rest, .rest, .rest, .inside]),
        ] as [(String, BindingLimit?, [StagePlan.Ring?])]
    )
    func rings(pressured: String, limit: BindingLimit?, expected: [StagePlan.Ring?]) {
        let paths = ["/a/b", "/a/b/x", "/a/c", "/d"]
        #expect(paths.map { StagePlan.Ring(of: $0, around: pressured, limit: limit) } == expected)
    }
}

/// Scopes that appear and vanish while they have hosts.
struct ScopeLossTests {
    @Test("a user's cgroup removals beyond a rate are not logged; removals of others' cgroups are")
    func lossesInLog() {
        var bench = PolicyBench()
        for id: ScopeID in 2...31 {
            bench.open(id, id == 31 ? "/system.slice/web.service" : "/user.slice/user-7.slice/\(id)")
            bench.register(in: id)
            bench.pass(.milliseconds(10))
        }
        bench.opening = { place, _ in .failed(KernelError("find", place.name, errno: 19)) }
        for ids: ClosedRange<ScopeID> in [2...30, 31...31] {
            for id in ids { bench.feed(.unreadable(id, KernelError("read", "/a", errno: 19))) }
            bench.pass(.seconds(2))
        }
        #expect(bench.lost.count == 21)
        #expect(bench.lost.last == "/system.slice/web.service")
        #expect(bench.withheld == 9)
    }

    @Test("the hosts of a removed scope are located again, and told that its pressure is over")
    func loss() {
        var bench = PolicyBench()
        bench.open(2, "/a")
        bench.register(in: 2)
        bench.pass(.seconds(2))
        bench.set(.critical, of: 2)
        bench.answer(1, round: 1)
        let sought = bench.sought.count
        bench.opening = { place, _ in .failed(KernelError("find", place.name, errno: 19)) }
        bench.feed(.unreadable(2, KernelError("read", "/a", errno: 19)))
        #expect(bench.lost == ["/a"])
        #expect(bench.sought.dropFirst(sought) == [1])
        #expect(bench.host(1).scope == .wholeHost)
        bench.opening = PolicyBench().opening
        bench.feed(.located([(1, .found(.cgroup("/b")))]))
        #expect(bench.host(1).scope == 3)
        #expect(bench.levels(1) == [.critical, .normal])
        #expect(bench.policy.scopes.all.map(\.hosts) == [0, 1])
    }

    @Test("clients are told of a scope's end if the configuration named it, but not if only hosts wanted it")
    func notedEnds() {
        var bench = PolicyBench()
        bench.places[1] = .found(.cgroup("/hosts"))
        bench.register()
        bench.pass(.seconds(1))
        bench.open(3, "/configured")
        let begun = bench.notedScopes.count
        bench.feed(.left(1))
        bench.feed(.patternsChanged)
        bench.pass(.seconds(6))
        #expect(bench.policy.scopes.all.map(\.path) == ["/"])
        #expect(bench.notedScopes.dropFirst(begun) == ["/configured"])
    }

    @Test("a scope stays for a while after its last host has left, and a host that returns gets it again")
    func lingering() {
        var bench = PolicyBench()
        bench.places[1] = .found(.cgroup("/a"))
        bench.register()
        bench.pass(.seconds(1))
        #expect(bench.policy.scopes.all.map(\.path) == ["/", "/a"])
        bench.feed(.left(1))
        bench.pass(.milliseconds(4_900))
        #expect(bench.open.map(\.scope) == [1, 2])
        bench.register(in: 2)
        bench.pass(.milliseconds(900))
        bench.feed(.left(2))
        bench.pass(.milliseconds(4_900))
        #expect(bench.open.map(\.scope) == [1, 2])
        bench.pass(.milliseconds(200))
        #expect(bench.open.map(\.scope) == [1])
        #expect(bench.policy.scopes.all.map(\.path) == ["/"])
    }

    @Test("hosts that connect and leave in new cgroups do not fill the table")
    func churn() {
        var bench = PolicyBench()
        for number in 1...200 {
            bench.places[HostID(number)] = .found(.cgroup("/\(number)"))
            let host = bench.register()
            bench.feed(.located([(host, .found(.cgroup("/\(number)")))]))
            bench.feed(.left(host))
        }
        bench.pass(.milliseconds(1))
        #expect(bench.policy.scopes.all.count == 65)
        bench.pass(.seconds(6))
        #expect(bench.policy.scopes.all.count == 1)
        #expect(bench.open.count == 1)
    }

    @Test("when a warning ends in an inner scope, it also ends for the hosts around it")
    func around() {
        var bench = StagedRoundTests.benchWithHosts()
        bench.set(.warning, of: 2)
        bench.answer(1, round: 1)
        bench.pass(.milliseconds(10))
        bench.answer(2, round: 1)
        #expect(bench.host(2).told == .warning)
        bench.set(.normal, of: 2)
        #expect(bench.levels(2) == [.warning, .normal])
        #expect(bench.levels(3) == [])
    }
}
