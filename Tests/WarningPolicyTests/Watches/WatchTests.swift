import MemoryPressure
import MemwarnProtocol
import Testing

@testable import WarningPolicy

/// How a scope's files are opened, read and closed.
struct WatchTests {
    private static let tooMany = KernelError("open", "memory.pressure", errno: 24)
    private static let gone = KernelError("read", "memory.pressure", errno: 19)
    private static let noMemory = KernelError("read", "memory.pressure", errno: 12)

    /// A bench with a configured scope `/a`, whose id is 2.
    private static func bench(_ settings: Settings = Settings()) -> PolicyBench {
        var bench = PolicyBench(settings)
        bench.open(2, "/a")
        return bench
    }

    /// Counts how often a scope's files are opened, and makes that fail as long as `fails` is true.
    private final class Openings {
        var paths: [String] = []
        var fails = true
        var rung = Rung.privileged
        var watchesChanges = true
        var isShort = false

        func open(_ place: SensorPlace, at now: MonotonicInstant) -> WatchOpening {
            paths.append(place.name)
            guard !fails else { return .failed(WatchTests.tooMany) }
            var files = OpenedFiles(rung: rung, window: .seconds(2), triggers: [.some, .full], at: now)
            (files.watchesChanges, files.isShort) = (watchesChanges, isShort)
            files.rungReason = "opened \(paths.count) times"
            return .opened(files)
        }
    }

    private static func bench(_ openings: Openings, scope: String? = "/a") -> PolicyBench {
        var bench = PolicyBench()
        bench.opening = { openings.open($0, at: $1) }
        if let scope { bench.open(2, scope) }
        return bench
    }

    private func watch(_ bench: PolicyBench, _ scope: ScopeID = 2) throws -> Watch {
        bench.policy.scopes[try #require(bench.policy.scopes.index(of: scope))].watch
    }

    @Test("hosts around a removed scope are told at once, while the daemon searches for the scope's own hosts")
    func relievedAround() throws {
        var bench = Self.bench()
        bench.open(3, "/a/b")
        let (own, below) = (bench.register(in: 2), bench.register(in: 3))
        bench.set(.critical, of: 2)
        for host in [own, below] { bench.answer(host, round: 1) }
        bench.feed(.cgroupVanished(path: "/a"))
        #expect(bench.sought == [own])
        #expect(bench.levels(own) == [.critical])
        #expect(bench.levels(below) == [.critical, .normal])
    }

    @Test func `hosts below a scope that is watched no more hear that its pressure is over`() throws {
        var bench = Self.bench()
        bench.open(3, "/a/b")
        let host = bench.register(in: 3)
        bench.set(.critical, of: 2)
        #expect(bench.inbox[host]?.last?.warning.level == .critical)
        bench.feed(.patternsChanged)
        bench.pass(.seconds(6))
        #expect(bench.policy.scopes.index(of: 2) == nil)
        #expect(bench.inbox[host]?.last?.warning.level == .normal)
    }

    @Test("a scope that could not be opened is tried again after a second, then at growing intervals, without end")
    func retries() throws {
        let openings = Openings()
        var bench = Self.bench(openings)
        #expect(try watch(bench).failure == Self.tooMany)
        #expect(try watch(bench).rung == nil)
        for (seconds, count) in [(1, 2), (2, 3), (4, 4), (8, 5), (16, 6), (32, 7), (64, 8), (64, 9), (6400, 109)] {
            bench.pass(.seconds(seconds))
            #expect(openings.paths.count == count)
        }
        openings.fails = false
        bench.pass(.seconds(64))
        #expect(try watch(bench).rung == .privileged)
        #expect(try watch(bench).rungReason == "opened 110 times")
        #expect(try watch(bench).failure == nil)
        #expect(bench.policy.due == nil, "a calm machine wakes no process")
    }

    @Test("a host whose cgroup could not be opened stays in it, and is warned as soon as it has been opened")
    func hostStays() throws {
        let openings = Openings()
        var bench = Self.bench(openings)
        bench.register(in: 2)
        #expect(bench.host(1).scope == 2)
        openings.fails = false
        bench.pass(.seconds(1))
        bench.set(.warning, of: 2)
        #expect(bench.levels(1) == [.warning])
    }

    @Test("files that were skipped for lack of descriptors are opened later; the level stays until then")
    func short() throws {
        let openings = Openings()
        (openings.fails, openings.rung, openings.isShort) = (false, .polling, true)
        var bench = Self.bench(openings)
        bench.pass(.seconds(1))
        #expect(openings.paths.count == 2)
        openings.fails = true
        bench.pass(.seconds(2))
        #expect(openings.paths.count == 3)
        #expect(try watch(bench).rung == .polling, "what is open stays so")
        (openings.fails, openings.rung, openings.isShort) = (false, .privileged, false)
        bench.pass(.seconds(4))
        #expect(try watch(bench).rung == .privileged)
        #expect(bench.policy.due == nil)
    }

    @Test("when a trigger dies, the files are opened again, on a lower rung if necessary")
    func dead() throws {
        let openings = Openings()
        openings.fails = false
        var bench = Self.bench(openings)
        bench.pass(.seconds(5))
        openings.rung = .events
        bench.feed(.unreadable(2, Self.gone))
        #expect(openings.paths.count == 2)
        #expect(try watch(bench).rung == .events)
        openings.rung = .privileged
        bench.feed(.accountingMoved(2))
        bench.pass(.seconds(1))
        #expect(try watch(bench).rung == .privileged)
        #expect(openings.paths.count == 3)
    }

    @Test("files that die as soon as they are opened are opened at most once a second")
    func dyingFiles() throws {
        let openings = Openings()
        openings.fails = false
        var bench = Self.bench(openings)
        for _ in 0..<10 {
            bench.feed(.unreadable(2, Self.gone))
            bench.pass(.milliseconds(100))
        }
        #expect(openings.paths.count == 2)
    }

    @Test("a level ends when the files that prove it are gone")
    func levelWithoutFiles() throws {
        let openings = Openings()
        openings.fails = false
        var bench = Self.bench(openings)
        bench.register(in: 2)
        bench.pass(.seconds(2))
        bench.reading = { .stalled(60, $0, at: $1) }
        bench.feed(.fired(2, .stalls(.some)))
        #expect(bench.levels(1) == [.critical])
        bench.answer(1, round: 1, releasable: 1)
        openings.fails = true
        bench.feed(.unreadable(2, Self.gone))
        #expect(bench.levels(1) == [.critical, .normal])
        #expect(bench.policy.scopes.level(of: 2) == .normal)
        #expect(try watch(bench).rung == nil)
    }

    @Test("a file that cannot be read for lack of memory is read again a second later")
    func unreadable() throws {
        var bench = Self.bench()
        bench.unreadable["/a"] = Self.noMemory
        bench.feed(.fired(2, .stalls(.some)))
        #expect(bench.read.count == 1)
        bench.unreadable = [:]
        bench.pass(.seconds(1))
        #expect(bench.read.count == 2)
        #expect(bench.policy.due == nil)
    }

    @Test("a limit that is set in a calm scope raises its level at once")
    func limitsMove() throws {
        var bench = Self.bench()
        bench.register(in: 2)
        bench.pass(.seconds(20))
        #expect(bench.read.isEmpty)
        bench.reading = { .left(.percent(7), $0, at: $1) }
        bench.feed(.limitsMoved(2))
        #expect(bench.policy.scopes.level(of: 2) == .warning)
        #expect(bench.levels(1) == [.warning])
    }

    @Test("a limit that changed while files were being opened is read when they are open")
    func limitMovesDuringOpening() throws {
        var bench = Self.bench()
        bench.register(in: 2)
        bench.pass(.seconds(20))
        let before = OpenedFiles(
            rung: .privileged,
            window: .milliseconds(500),
            triggers: [.some, .full, .limits],
            at: bench.now
        )
        bench.pass(.milliseconds(5))
        bench.reading = { .left(.percent(7), $0, at: $1) }
        bench.unreadable["/a"] = Self.noMemory
        bench.feed(.limitsMoved(2))
        bench.unreadable = [:]
        bench.feed(.opened(2, .opened(before)))
        bench.pass(.milliseconds(100))
        #expect(bench.policy.scopes.level(of: 2) == .warning)
        #expect(bench.levels(1) == [.warning])
    }

    /// The result of opening files that were just armed and read.
    private static func files(at now: MonotonicInstant, left: Share? = nil) -> WatchOpening {
        var first = SensorReadings.calm(.cgroup("/a"), at: now)
        first.headroom = left.map {
            Headroom(limit: BindingLimit(.max, bytes: 10_000, path: "/a"), used: 10_000 - UInt64($0.percent * 100))
        }
        return .opened(
            OpenedFiles(
                rung: .privileged,
                window: .milliseconds(500),
                triggers: [.some, .full, .limits],
                first: first,
                watchesChanges: true
            )
        )
    }

    @Test("while a scope's files are being opened they are not opened again; after a reload that follows at once")
    func reloadDuringOpening() throws {
        var bench = Self.bench()
        var settings = Settings()
        let old = settings.stalls
        bench.opensLater = true
        for share in [30.0, 20, 11] {
            settings.stalls.some = .percent(share)
            bench.feed(.settings(settings))
            bench.pass(.milliseconds(100))
        }
        #expect(bench.openings.filter { $0.scope == 2 }.map(\.plan.some) == [.percent(30)])
        bench.feed(.opened(2, Self.files(at: bench.now)))
        bench.pass(.milliseconds(1))
        #expect(bench.openings.filter { $0.scope == 2 }.map(\.plan.some) == [.percent(30), .percent(11)])
        bench.feed(.opened(2, Self.files(at: bench.now)))
        bench.pass(.seconds(100))
        #expect(bench.openings.filter { $0.scope == 2 }.count == 2)
        // Back to the plan of the files that were opened first.
        settings.stalls = old
        bench.feed(.settings(settings))
        bench.pass(.milliseconds(1))
        #expect(bench.openings.filter { $0.scope == 2 }.map(\.plan).last == old)
    }

    @Test("if accounting is switched all the time, files are opened once a second")
    func accountingFlood() throws {
        let openings = Openings()
        openings.fails = false
        var bench = Self.bench(openings)
        bench.pass(.seconds(10))
        for _ in 0..<10_000 {
            bench.feed(.accountingMoved(2))
            bench.pass(.milliseconds(1))
        }
        #expect((10...12).contains(openings.paths.count))
    }

    @Test(
        "if the accounting of many scopes is switched all the time, ten are opened a second, in turns"
    )
    func accountingFloods() throws {
        let openings = Openings()
        openings.fails = false
        var bench = PolicyBench()
        bench.opening = { openings.open($0, at: $1) }
        for scope in 2..<52 {
            bench.feed(.cgroupAppeared(SensorPlace(cgroup: Cgroup(path: "/\(scope)", directory: "/cg/\(scope)"))))
        }
        bench.pass(.seconds(10))
        openings.paths = []
        for _ in 0..<1_000 {
            for scope in bench.policy.scopes.all { bench.feed(.accountingMoved(scope.id)) }
            bench.pass(.milliseconds(10))
        }
        #expect((95...105).contains(openings.paths.count))
        #expect(Set(openings.paths).count >= 50)
    }

    @Test("a scope under pressure gets its level as soon as it is opened")
    func shortAtOnce() throws {
        var bench = Self.bench()
        bench.register(in: 2)
        bench.reading = { .left(.percent(3), $0, at: $1) }
        bench.feed(.opened(2, Self.files(at: bench.now, left: .percent(3))))
        bench.pass(.zero)
        #expect(bench.policy.scopes.level(of: 2) == .critical)
        #expect(bench.levels(1) == [.critical])
    }

    @Test("if one scope comes near the limit of a cgroup around it, the other scopes in that cgroup are read too")
    func sharedLimit() throws {
        var bench = PolicyBench()
        for (scope, path) in [(2, "/a/b"), (3, "/a/c"), (4, "/d")] as [(ScopeID, String)] {
            bench.open(scope, path)
            bench.register(in: scope)
        }
        bench.pass(.seconds(20))
        #expect(bench.read.isEmpty)
        bench.reading = { place, now in
            var readings = SensorReadings.calm(place, at: now)
            guard place.name.isWithin("/a") else { return readings }
            readings.headroom = Headroom(limit: BindingLimit(.max, bytes: 1_000, path: "/a"), used: 980)
            return readings
        }
        bench.feed(.limitsMoved(2))
        bench.pass(.zero)
        #expect(bench.policy.scopes.level(of: 3) == .critical)
        #expect(bench.levels(2) == [.critical])
        #expect(bench.read.filter { $0.scope == 3 }.count == 1)
        #expect(bench.read.allSatisfy { $0.scope != 4 })
    }

    @Test("hundreds of scopes of a user that are due at once do not delay the reading of another's")
    func accounts() throws {
        var bench = PolicyBench()
        for scope: ScopeID in 2...201 {
            bench.open(scope, "/user.slice/user-1000.slice/c\(scope)")
            bench.register(in: scope)
        }
        bench.open(202, "/system.slice/x.service")
        bench.register(in: 202)
        bench.pass(.seconds(20))
        bench.reading = { place, now in
            var readings = SensorReadings.calm(place, at: now)
            readings.headroom = Headroom(limit: BindingLimit(.max, bytes: 1_000, path: "/"), used: 980)
            return readings
        }
        bench.feed(.limitsMoved(2))
        bench.pass(.seconds(1))
        let order = bench.read.map(\.scope).filter { $0 > 2 }
        #expect(order.count >= 200)
        #expect(try #require(order.firstIndex(of: 202)) <= 2)
    }

    @Test("limits that change all the time are read ten times a second")
    func limitsFlood() throws {
        var bench = Self.bench()
        bench.pass(.seconds(1))
        for _ in 0..<1000 {
            bench.feed(.limitsMoved(2))
            bench.pass(.milliseconds(1))
        }
        #expect((10...11).contains(bench.read.count))
    }

    @Test("if changes of limits are not reported, limits are read every ten seconds")
    func deafToLimits() throws {
        let openings = Openings()
        (openings.fails, openings.watchesChanges) = (false, false)
        var bench = Self.bench(openings)
        bench.pass(.seconds(60))
        #expect(bench.read.filter { $0.scope == 2 }.count == 6)
    }

    @Test("while triggers cannot be polled, the files are read once per window instead")
    func deaf() throws {
        var bench = Self.bench()
        bench.pass(.seconds(1))
        bench.feed(.deaf(2))
        bench.pass(.milliseconds(500))
        #expect(bench.read.count == 1)
        #expect(bench.open.last?.triggers == [.some, .full, .limits], "they are wanted again after a look")
        #expect(bench.policy.due == nil)
    }

    @Test("a warning is sent before polling of the triggers stops")
    func warningFirst() {
        var bench = Self.bench()
        bench.register(in: 2)
        bench.reading = { .stalled(60, $0, at: $1) }
        bench.feed(.fired(2, .stalls(.some)))
        #expect(bench.polledAtWarnings.first == [[.some, .full, .limits], [.some, .full, .limits]])
        #expect(bench.open.map(\.triggers) == [[.some, .full, .limits], []])
    }

    @Test("new thresholds re-arm the triggers, and the level stays")
    func rearming() throws {
        let openings = Openings()
        openings.fails = false
        var bench = Self.bench(openings)
        bench.reading = { .stalled(60, $0, at: $1) }
        bench.feed(.fired(2, .stalls(.some)))
        let since = try watch(bench).machine.since
        bench.pass(.milliseconds(300))
        var settings = Settings()
        settings.levels.dwell = .seconds(20)
        bench.feed(.settings(settings))
        bench.pass(.zero)
        #expect(openings.paths.count == 1, "other levels need no other triggers")
        settings.stalls.some = .percent(20)
        bench.feed(.settings(settings))
        bench.pass(.zero)
        #expect(openings.paths == ["/a", "/", "/a"])
        #expect(bench.open.map(\.plan.some) == [.percent(20), .percent(20)])
        #expect(try watch(bench).level == .critical)
        #expect(try watch(bench).machine.since == since)
        #expect(try watch(bench).machine.policy.dwell == .seconds(20))
    }

    @Test("a scope starts at the level that an earlier daemon had for it, unless that is too long ago")
    func inheritedLevels() throws {
        var policy = WarningPolicy(Settings(), seed: 1)
        var effects = Effects()
        let start = MonotonicInstant(nanoseconds: 1_000_000_000)
        policy.resume(at: start, afterHost: 9, levels: ["/": .warning, "/a": .critical, "/b": .critical])
        #expect(policy.rounds.lastID == 1_000_000 && policy.hosts.lastID == 9)
        policy.handle(.started, at: start, into: &effects)
        policy.handle(.cgroupAppeared(.cgroup("/a")), at: start.advanced(by: .seconds(1)), into: &effects)
        policy.handle(.cgroupAppeared(.cgroup("/b")), at: start.advanced(by: .seconds(3600)), into: &effects)
        #expect(policy.scopes.all.map(\.level) == [.warning, .critical, .normal])
    }

    @Test("levels are counted and saved when they change, and when a raised scope is no longer watched")
    func savedLevels() {
        var bench = PolicyBench()
        bench.open(2, "/a")
        bench.set(.critical, of: 2)
        bench.set(.warning, of: 2)
        #expect(bench.saves.suffix(2) == [["/a": .critical], ["/a": .warning]])
        #expect(PressureLevel.allCases.map { bench.policy.counters.record.changes[$0] } == [0, 1, 1])
        bench.feed(.patternsChanged)
        bench.reading = { .left(.percent(6), $0, at: $1) }
        bench.pass(.seconds(6))
        #expect(bench.policy.scopes.all.count == 1)
        #expect(bench.saves.last == [:])
    }

    @Test("a level that headroom raised outlasts new files whose headroom cannot be read either")
    func reopenedWithoutHeadroom() throws {
        var bench = PolicyBench()
        bench.open(2, "/a")
        bench.reading = { .left(.percent(2), $0, at: $1) }
        bench.feed(.limitsMoved(2))
        #expect(bench.policy.scopes.level(of: 2) == .critical)
        func failed(_ place: SensorPlace, _ now: MonotonicInstant) -> SensorReadings {
            var readings = SensorReadings.calm(place, at: now)
            readings.failed = .headroom
            return readings
        }
        bench.reading = failed
        bench.opening = { place, now in
            let triggers: TriggerSet = [.some, .full, .limits]
            let first = failed(place, now)
            return .opened(
                OpenedFiles(rung: .privileged, window: .milliseconds(500), triggers: triggers, first: first)
            )
        }
        bench.pass(.seconds(5))
        let openings = bench.open.count
        bench.feed(.accountingMoved(2))
        bench.pass(.seconds(60))
        #expect(bench.open.count == openings && bench.policy.scopes.level(of: 2) == .critical)
        bench.reading = { .left(.percent(60), $0, at: $1) }
        bench.pass(.seconds(15))
        #expect(bench.policy.scopes.level(of: 2) == .normal)
    }

    @Test("a host that registered before a scope around it is found is told the level that the scope has kept")
    func inheritedAround() {
        var bench = PolicyBench(levels: ["/a": .critical])
        bench.open(2, "/a/b")
        bench.open(3, "/c")
        for scope: ScopeID in [2, 3] { bench.register(in: scope) }
        bench.open(4, "/a")
        #expect(bench.levels(1) == [.critical] && bench.levels(2).isEmpty)
    }

    @Test("of many readings that are due, a few are taken at a time, and the others right after")
    func turns() throws {
        var bench = PolicyBench()
        for number in 2...40 { bench.open(ScopeID(number), "/\(number)") }
        bench.reading = { .left(.percent(30), $0, at: $1) }
        for number in 2...40 { bench.feed(.limitsMoved(ScopeID(number))) }
        let count = bench.read.count
        let due = try #require(bench.policy.due)
        bench.pass(bench.now.duration(to: due) - .milliseconds(1))
        #expect(bench.read.count == count)
        bench.step()
        #expect(bench.read.count == count + 8)
        bench.pass(.milliseconds(1))
        #expect(bench.read.count == count + 39)
    }
}

/// Processes that are moved to other cgroups.
struct LocationTests {
    @Test("a host is located a second and ten seconds after it registered, and moves with its process")
    func following() {
        var bench = PolicyBench()
        bench.open(2, "/a")
        bench.register(in: 2)
        bench.places[1] = .found(.cgroup("/b"))
        bench.pass(.seconds(1))
        #expect(bench.policy.scopes.path(of: bench.host(1).scope) == "/b")
        bench.places[1] = .found(.cgroup("/c"))
        bench.pass(.seconds(10))
        #expect(bench.policy.scopes.path(of: bench.host(1).scope) == "/c")
        #expect(bench.sought == [1, 1])
        bench.pass(.seconds(6))
        #expect(bench.policy.due == nil, "a calm daemon does not wake")
    }

    @Test("after that a host is located every 100 s while memory is short")
    func underPressure() {
        var bench = PolicyBench()
        bench.open(2, "/a")
        bench.register(in: 2)
        bench.pass(.seconds(300))
        #expect(bench.sought == [1, 1])
        bench.places[1] = .found(.cgroup("/b"))
        bench.feed(.fired(2, .stalls(.some)))
        #expect(bench.sought == [1, 1, 1])
        #expect(bench.policy.scopes.path(of: bench.host(1).scope) == "/b")
        bench.feed(.fired(2, .stalls(.some)))
        #expect(bench.sought.count == 3)
    }

    @Test("the hosts of a cgroup that was emptied are located a second later, once, however often it is emptied")
    func emptied() {
        var bench = PolicyBench()
        bench.open(2, "/a")
        bench.register(in: 2)
        bench.pass(.seconds(60))
        bench.places[1] = .found(.cgroup("/b"))
        for _ in 0..<100 { bench.feed(.populationMoved(2)) }
        bench.pass(.seconds(1))
        #expect(bench.sought == [1, 1, 1])
        #expect(bench.policy.scopes.path(of: bench.host(1).scope) == "/b")
    }

    @Test("a host is located once at a time, whatever the number of reasons")
    func oneCheck() {
        var bench = PolicyBench()
        bench.open(2, "/a")
        bench.register(in: 2)
        for _ in 0..<100 {
            bench.feed(.populationMoved(2))
            bench.pass(.seconds(12))
        }
        let sought = bench.sought.count
        bench.pass(.seconds(100))
        bench.feed(.fired(2, .stalls(.some)))
        #expect(bench.sought.count == sought + 1)
        bench.set(.critical, of: 2)
        bench.answer(1, round: 1)
        bench.feed(.located([(1, .found(.host)), (1, .found(.host))]))
        #expect(bench.levels(1) == [.critical, .normal])
    }

    @Test("a host that moves into a cgroup under pressure is warned; one that moves out is told that pressure is over")
    func levels() {
        var bench = PolicyBench()
        bench.open(2, "/a")
        bench.set(.critical, of: 2)
        bench.register()
        #expect(bench.levels(1) == [])
        bench.feed(.located([(1, .found(.cgroup("/a")))]))
        #expect(bench.levels(1) == [.critical])
        bench.answer(1, round: 2)
        bench.feed(.located([(1, .found(.host))]))
        #expect(bench.levels(1) == [.critical, .normal])
    }

    @Test("a host that cannot be located stays in its scope, and is located again later")
    func unknown() {
        var bench = PolicyBench()
        bench.open(2, "/a")
        bench.register(in: 2)
        bench.places[1] = .unknown(KernelError("open", "/proc/1/cgroup", errno: 24))
        bench.pass(.seconds(3600))
        #expect(bench.host(1).scope == 2)
        #expect(bench.sought.count > 300)
        bench.places[1] = .found(.cgroup("/b"))
        bench.pass(.seconds(10))
        #expect(bench.policy.scopes.path(of: bench.host(1).scope) == "/b")
    }

    @Test("a cgroup that is removed before it is opened is not searched for without end")
    func gone() {
        var bench = PolicyBench()
        bench.opening = { place, now in
            place.name == "/a" ? .failed(KernelError("find", "/a", errno: 19)) : PolicyBench().opening(place, now)
        }
        bench.places[1] = .found(.cgroup("/a"))
        bench.register()
        bench.pass(.seconds(1))
        #expect(bench.sought == [1])
        #expect(bench.host(1).scope == .wholeHost)
        bench.pass(.seconds(60))
        #expect(bench.sought.count < 12)
        #expect(bench.policy.scopes.all.count == 1)
    }
}

extension SensorReadings {
    /// The readings of a scope whose tasks have stalled since it was calm, for this percentage of the last 10 s.
    static func stalled(_ percent: UInt64, _ place: SensorPlace, at now: MonotonicInstant) -> Self {
        var readings = calm(place, at: now)
        let line = PressureStall.Line(average10: .percent(Double(percent)), total: 100_000_000)
        readings.stalls = PressureStall(some: line, full: line)
        readings.reclaim = ReclaimCounters(scanned: 1_000, refaulted: 1_000)
        return readings
    }

    /// The readings of a calm scope with this share left of a limit of 1000 pages.
    static func left(_ share: Share, _ place: SensorPlace, at now: MonotonicInstant) -> Self {
        var readings = calm(place, at: now)
        let limit = BindingLimit(.max, bytes: 4_096_000, path: place.name)
        readings.headroom = Headroom(limit: limit, used: 4_096_000 - 4_096_000 / 10_000 * UInt64(share.basisPoints))
        return readings
    }
}
