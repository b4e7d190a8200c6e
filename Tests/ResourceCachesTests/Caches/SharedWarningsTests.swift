import Testing

@testable import ResourceCaches

struct SharedWarningsTests {
    private typealias Part = SharedWarnings.Part

    /// Holds the value by reference, since an expectation cannot change a variable.
    private final class Subject {
        private var value = SharedWarnings()

        func join() -> UInt64 { value.join() }
        func leave(_ id: UInt64) -> Bool { value.leave(id) }
        func settle(_ id: UInt64, at level: PressureLevel) -> Bool { value.settle(id, at: level) }
        func rise(_ id: UInt64, to level: PressureLevel) { value.rise(id, to: level) }
        func setRunning(_ id: UInt64) { value.setRunning(true, for: id) }
        func isSpeaker(_ id: UInt64) -> Bool { value.isSpeaker(id) }
        func register(_ id: UInt64, with daemon: String?) { value.setDaemon(daemon, for: id) }

        func didGive(_ bytes: UInt64, for part: Part, of id: UInt64, in round: UInt64) {
            value.didGive(bytes, for: part, of: id, in: round)
        }

        func reportFall(from before: UInt64, to after: UInt64, of id: UInt64, in round: UInt64) -> UInt64 {
            value.reportFall(from: before, to: after, of: id, in: round)
        }

        func record(_ event: ReclaimRequest, from id: UInt64, released: UInt64 = 0) -> Part {
            value.record(event, from: id, released: released)
        }
    }

    private let warnings = Subject()

    private func kernel(_ level: PressureLevel, wanted: UInt64 = 0) -> ReclaimRequest {
        ReclaimRequest(level: level, bytesWanted: wanted, isSimulated: false)
    }

    private func round(_ number: UInt64, _ level: PressureLevel = .warning, wanted: UInt64 = 0) -> ReclaimRequest {
        ReclaimRequest(level: level, bytesWanted: wanted, isSimulated: false, round: number)
    }

    @Test("among hosts that receive an event of the kernel, the first makes the caches shrink, also at each repetition")
    func kernelEvents() {
        let (a, b, c) = (warnings.join(), warnings.join(), warnings.join())
        let expected: [Part] = [.level(bytes: nil), .nothing, .nothing]
        for (host, part) in zip([a, b, c], expected) {
            #expect(warnings.record(kernel(.warning), from: host) == part)
        }
        for (host, part) in zip([c, a, b], expected) {
            #expect(warnings.record(kernel(.warning), from: host) == part)
        }
        for (host, part) in zip([b, c, a], expected) {
            #expect(warnings.record(kernel(.critical), from: host) == part)
        }
    }

    @Test("a busy host catches up with the events of the other hosts, and is not ahead of them afterwards")
    func busyHost() {
        let (a, b) = (warnings.join(), warnings.join())
        var parts: [Part] = []
        for host in [a, a, b, b, b] { parts.append(warnings.record(kernel(.warning), from: host)) }
        #expect(parts == [.level(bytes: nil), .level(bytes: nil), .nothing, .nothing, .level(bytes: nil)])
    }

    @Test("a warning of one host has no effect after critical of another host")
    func lowerLevel() {
        let (a, b) = (warnings.join(), warnings.join())
        #expect(warnings.record(kernel(.critical), from: a) == .level(bytes: nil))
        #expect(warnings.record(kernel(.warning), from: b) == .nothing)
        #expect(warnings.record(kernel(.critical), from: b) == .nothing)
        #expect(warnings.record(kernel(.warning), from: a) == .nothing, "b has passed on as many")
        #expect(warnings.record(kernel(.warning), from: b) == .level(bytes: nil))
    }

    @Test("every warning of a single host takes effect", arguments: 1...20 as ClosedRange<UInt64>)
    func alone(seed: UInt64) {
        let host = warnings.join()
        var bits = seed &* 0x9e37_79b9_7f4a_7c15
        for _ in 0..<30 {
            let level: PressureLevel = bits & 1 == 0 ? .warning : .critical
            #expect(warnings.record(kernel(level), from: host) == .level(bytes: nil))
            bits >>= 1
        }
    }

    @Test("counting restarts when no host is at a raised level, and not before")
    func backToNormal() {
        let (a, b) = (warnings.join(), warnings.join())
        _ = warnings.record(kernel(.warning), from: a)
        _ = warnings.record(kernel(.warning), from: b)
        #expect(!warnings.settle(a, at: .normal))
        #expect(
            warnings.record(kernel(.warning), from: a) == .level(bytes: nil),
            "a has received two by now"
        )
        #expect(!warnings.settle(b, at: .normal))
        #expect(warnings.settle(a, at: .normal))
        #expect(warnings.record(kernel(.warning), from: b) == .level(bytes: nil))
        #expect(warnings.record(kernel(.warning), from: a) == .nothing)
    }

    @Test("warnings of a host that is back at normal do not make those of the others old")
    func lead() {
        let (a, b) = (warnings.join(), warnings.join())
        for _ in 0..<5 { _ = warnings.record(kernel(.critical), from: a) }
        _ = warnings.record(kernel(.warning), from: b)
        #expect(!warnings.settle(a, at: .normal))
        #expect(warnings.record(kernel(.critical), from: b) == .level(bytes: nil))
        #expect(warnings.record(kernel(.critical), from: a) == .nothing)
    }

    @Test("if the host that led leaves, the warnings of a host at normal do not make those of the others old")
    func leadOfALeaver() {
        let (a, b, c) = (warnings.join(), warnings.join(), warnings.join())
        for host in [a, b] {
            for _ in 0..<3 { _ = warnings.record(kernel(.warning), from: host) }
        }
        _ = warnings.record(kernel(.warning), from: c)
        #expect(!warnings.settle(b, at: .normal))
        #expect(!warnings.leave(a))
        #expect(warnings.record(kernel(.warning), from: c) == .level(bytes: nil))
        #expect(warnings.record(kernel(.warning), from: b) == .nothing)
        #expect(warnings.record(kernel(.warning), from: b) == .level(bytes: nil))
    }

    @Test("pressure does not end while a host's delivery is under way")
    func underWay() {
        let (a, b) = (warnings.join(), warnings.join())
        warnings.rise(a, to: .critical)
        #expect(warnings.record(round(1, .critical), from: b) == .level(bytes: nil))
        #expect(!warnings.settle(b, at: .normal))
        #expect(warnings.record(round(1, .critical), from: a) == .nothing)
        #expect(warnings.settle(a, at: .normal))
    }

    @Test("many rounds of one daemon do not make a round of another one be forgotten")
    func manyRounds() {
        let (a, b) = (warnings.join(), warnings.join())
        for host in [a, b] { warnings.register(host, with: "/system") }
        #expect(warnings.record(round(1), from: a) == .level(bytes: nil))
        let c = warnings.join()
        warnings.register(c, with: "/user")
        for number in 1...9 as ClosedRange<UInt64> { _ = warnings.record(round(number), from: c) }
        #expect(warnings.record(round(1), from: b) == .nothing)
    }

    @Test("the last host under pressure ends it when destroyed, and other hosts need not catch up with that host")
    func leaving() {
        let (a, b) = (warnings.join(), warnings.join())
        for _ in 0..<3 { _ = warnings.record(kernel(.warning), from: a) }
        _ = warnings.record(kernel(.warning), from: b)
        #expect(!warnings.leave(a))
        #expect(warnings.record(kernel(.warning), from: b) == .level(bytes: nil))
        #expect(warnings.leave(b))
        let c = warnings.join()
        #expect(!warnings.leave(c), "it was over")
    }

    @Test("the bytes wanted by hosts in a round add up, and so do the bytes that hosts and caches have given")
    func bytesOfARound() {
        let (a, b, c) = (warnings.join(), warnings.join(), warnings.join())
        let first = warnings.record(round(7, wanted: 200), from: a, released: 20)
        #expect(first == .level(bytes: 180))
        #expect(warnings.record(round(7, wanted: 100), from: b) == .bytes(100), "the first is at work")
        warnings.didGive(250, for: first, of: a, in: 7)
        warnings.didGive(100, for: .bytes(100), of: b, in: 7)
        // Of the 390 bytes wanted in total, 370 have been given.
        #expect(warnings.record(round(7, wanted: 90), from: c) == .bytes(20))
    }

    @Test("the level's rule is applied once in a round, even if a host is some rounds behind")
    func lateHost() {
        let (a, b) = (warnings.join(), warnings.join())
        for number in 1...5 as ClosedRange<UInt64> {
            #expect(warnings.record(round(number), from: a) == .level(bytes: nil))
        }
        #expect(warnings.record(round(3), from: b) == .nothing)
        #expect(warnings.record(round(5, wanted: 10), from: b) == .bytes(10))
        #expect(warnings.record(round(5, .critical), from: a) == .level(bytes: nil), "its daemon has restarted")
    }

    @Test("a round and an event of the kernel about the same shortage count once")
    func roundAndKernel() {
        let (a, b) = (warnings.join(), warnings.join())
        #expect(warnings.record(round(1), from: a) == .level(bytes: nil))
        #expect(warnings.record(kernel(.warning), from: b) == .nothing)
        #expect(warnings.record(kernel(.warning, wanted: 30), from: b) == .level(bytes: 30))
        #expect(warnings.record(kernel(.warning, wanted: 30), from: a, released: 10) == .bytes(20))
    }

    @Test("a simulation without a round takes effect each time, and a round of a simulation once")
    func simulations() {
        let (a, b) = (warnings.join(), warnings.join())
        for host in [a, b, a] {
            #expect(warnings.record(ReclaimRequest(level: .critical), from: host) == .level(bytes: nil))
        }
        #expect(warnings.record(ReclaimRequest(level: .warning, round: 4), from: b) == .level(bytes: nil))
        #expect(warnings.record(ReclaimRequest(level: .warning, round: 4), from: a) == .nothing)
        #expect(warnings.settle(a, at: .normal), "no memory is short")
    }

    @Test("one host reports for the caches: the oldest running one, or the oldest if none runs")
    func speaker() {
        let hosts = (0..<3).map { _ in warnings.join() }
        func speakers() -> [Bool] { hosts.map { warnings.isSpeaker($0) } }
        #expect(speakers() == [true, false, false])
        warnings.setRunning(hosts[2])
        #expect(speakers() == [false, false, true])
        warnings.setRunning(hosts[1])
        #expect(speakers() == [false, true, false])
        _ = warnings.leave(hosts[1])
        #expect(speakers() == [false, false, true])
    }

    @Test("a host without bytes wanted does not apply the rule before the reporting host has received its bytes")
    func nothingWanted() {
        let (speaker, other) = (warnings.join(), warnings.join())
        warnings.setRunning(speaker)
        for host in [speaker, other] { warnings.register(host, with: "/daemon") }
        #expect(warnings.record(round(1), from: other) == .bytes(0))
        #expect(warnings.record(round(1, wanted: 40), from: speaker) == .level(bytes: 40))
        #expect(
            warnings.record(round(2, .critical), from: other) == .level(bytes: nil),
            "all helps at critical"
        )
        #expect(warnings.record(round(3), from: other) == .level(bytes: nil), "the speaker missed a round")
    }

    @Test("rounds of two daemons are different rounds, whatever their numbers")
    func twoDaemons() {
        let (a, b, c) = (warnings.join(), warnings.join(), warnings.join())
        for (host, daemon) in [(a, "/system"), (b, "/user"), (c, "/user")] { warnings.register(host, with: daemon) }
        let first = warnings.record(round(1, wanted: 30), from: a)
        #expect(first == .level(bytes: 30))
        let second = warnings.record(round(1, wanted: 50), from: b)
        #expect(second == .level(bytes: 50))
        warnings.didGive(30, for: first, of: a, in: 1)
        warnings.didGive(10, for: second, of: b, in: 1)
        #expect(warnings.record(round(1, wanted: 5), from: c) == .bytes(45))
        #expect([a, b].map { warnings.reportFall(from: 280, to: 25, of: $0, in: 1) } == [280, 280])
        #expect(warnings.reportFall(from: 280, to: 25, of: c, in: 1) == 25, "b has reported it")
    }

    @Test("a host may take a round of a daemon that has restarted since, after another host has registered again")
    func restartedDaemon() {
        let (a, b) = (warnings.join(), warnings.join())
        for host in [a, b] { warnings.register(host, with: "/daemon") }
        #expect(warnings.record(round(7), from: a) == .level(bytes: nil))
        for daemon in [nil, "/daemon"] { warnings.register(a, with: daemon) }
        #expect(warnings.record(round(7), from: b) == .nothing)
        #expect(warnings.record(round(9, wanted: 9), from: a) == .level(bytes: 9))
        for daemon in [nil, "/daemon"] { warnings.register(b, with: daemon) }
        #expect(warnings.record(round(9), from: b) == .nothing)
    }

    @Test("a number that a host receives again is a later round, of a daemon that counts from 1 at each start")
    func repeatedNumber() {
        let (a, b) = (warnings.join(), warnings.join())
        for host in [a, b] { warnings.register(host, with: "/daemon") }
        for _ in 0..<2 {
            #expect(warnings.record(round(1), from: a) == .level(bytes: nil))
            #expect(warnings.record(round(1), from: b) == .nothing)
        }
    }

    @Test("a host that registers during a round, also again, leaves the round as it is for the other hosts")
    func registrationInARound() {
        let (a, b, c) = (warnings.join(), warnings.join(), warnings.join())
        for host in [a, b] { warnings.register(host, with: "/daemon") }
        #expect(warnings.record(round(1), from: a) == .level(bytes: nil))
        #expect(warnings.reportFall(from: 280, to: 25, of: a, in: 1) == 280)
        for host in [c, a] {
            for daemon in [nil, "/daemon"] { warnings.register(host, with: daemon) }
        }
        warnings.register(c, with: nil)
        #expect(warnings.record(round(1), from: b) == .nothing)
        #expect(warnings.reportFall(from: 280, to: 25, of: b, in: 1) == 25)
        warnings.register(a, with: nil)
        #expect(warnings.record(round(1), from: c) == .level(bytes: nil), "it is not registered")
    }

    @Test("a host without bytes wanted applies the rule if the reporting host is registered with another daemon")
    func speakerElsewhere() {
        let (speaker, other) = (warnings.join(), warnings.join())
        warnings.setRunning(speaker)
        warnings.setRunning(other)
        for daemon in [nil, "/user"] {
            warnings.register(speaker, with: daemon)
            for (number, own) in zip(1..., [nil, "/system"]) {
                warnings.register(other, with: own)
                #expect(warnings.record(round(UInt64(number)), from: other) == .level(bytes: nil))
            }
        }
    }

    @Test("sums of bytes wanted and given are capped at the largest number")
    func saturation() {
        let (a, b) = (warnings.join(), warnings.join())
        let part = warnings.record(round(1, wanted: .max), from: a, released: 1)
        #expect(part == .level(bytes: .max - 1))
        warnings.didGive(.max, for: part, of: a, in: 1)
        #expect(warnings.record(round(1, wanted: .max), from: b, released: .max) == .nothing)
    }

    @Test("if several hosts see resident memory fall, each byte is reported once in a round")
    func fall() {
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]] {
            let subject = Subject()
            let falls: [(before: UInt64, after: UInt64)] = [(280, 100), (280, 25), (100, 25), (20, 30)]
            let hosts = falls.map { _ in subject.join() }
            for host in hosts { _ = subject.record(round(7), from: host) }
            let reported = order.map { index in
                let (before, after) = falls[index]
                return Int(subject.reportFall(from: before, to: after, of: hosts[index], in: 7)) - Int(after)
            }
            #expect(reported.filter { $0 > 0 }.reduce(0, +) == 255, "\(order)")
        }
    }

    @Test("a host reports at most its own fall, even if the process has grown since another host's")
    func growthBetweenFalls() {
        let (a, b) = (warnings.join(), warnings.join())
        for host in [a, b] { _ = warnings.record(round(7), from: host) }
        #expect(warnings.reportFall(from: 116, to: 16, of: a, in: 7) == 116)
        #expect(warnings.reportFall(from: 266, to: 262, of: b, in: 7) == 266)
    }

    @Test("what a host could not report as its own fall is left to another host that has seen it too")
    func fallOfAnotherHost() {
        let (a, b, c) = (warnings.join(), warnings.join(), warnings.join())
        for host in [a, b, c] { _ = warnings.record(round(5), from: host) }
        let falls: [(host: UInt64, before: UInt64, after: UInt64)] = [(c, 1000, 959), (a, 938, 906), (b, 1000, 906)]
        let reported = falls.map { warnings.reportFall(from: $0.before, to: $0.after, of: $0.host, in: 5) - $0.after }
        #expect(reported == [41, 32, 21])
    }

    @Test("a fall in another round, or outside of rounds, is reported in full, and so is growth")
    func otherFall() {
        let host = warnings.join()
        for number in [1, 2] as [UInt64] {
            _ = warnings.record(round(number), from: host)
            #expect(warnings.reportFall(from: 280, to: 25, of: host, in: number) == 280)
        }
        #expect(warnings.reportFall(from: 280, to: 25, of: host, in: 3) == 280)
        #expect(warnings.reportFall(from: 25, to: 30, of: host, in: 2) == 25)
    }
}
