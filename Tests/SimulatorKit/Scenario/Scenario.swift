import MemoryPressure
import MemwarnProtocol

/// The external conditions of a busy hour: a machine, its cgroups and hosts, the jobs that use memory, and the faults.
///
/// The seed alone determines it.
package struct Scenario: Sendable {
    struct CgroupPlan: Sendable {
        var path: String
        /// The plan of the parent cgroup; `nil` is the root.
        var parent: Int?
        var high = Double.infinity
        var max = Double.infinity
        var swap = 0.0
        /// The memory of its programs apart from the hosts: anonymous memory, and file pages in use.
        var base = 0.0
        var files = 0.0
        var limit: Double { min(high, max) }
    }

    struct HostPlan: Sendable {
        var cgroup: Int
        /// Its memory apart from its caches.
        var base: Double
        /// The size of its full caches.
        var capacity: Double
        /// The time in which they fill, in seconds.
        var filling: Double
        /// The time that it takes to answer, in seconds.
        var answerTime: Double
        var priority: UInt8
        var uid: UInt32
        var saysReleasable: Bool
    }

    package let seed: UInt64
    /// In seconds.
    package let length: Double
    /// The time after which there are no faults, so that everything has to recover.
    let calm = 3_380.0
    /// How many hosts are warned without a pause; the real number is larger than the number of hosts.
    var slice: Int { [1, 3, 64][Int(seed % 3)] }
    let features: KernelModel.Features
    let memory: Double
    let swap: Double
    private(set) var cgroups: [CgroupPlan] = []
    private(set) var hosts: [HostPlan] = []
    private(set) var episodes: [Episode] = []
    private(set) var faults: [Fault] = []
    /// The cgroups that are watched with or without hosts.
    let patterns: [String]
    /// Further steps that do not depend on the seed.
    let script: Script?
    /// The hosts that take part.
    package private(set) var hostsKept: [Int]
    package private(set) var episodesKept: [Int]
    package private(set) var faultsKept: [Int]

    private static let mebibyte = 1_048_576.0

    package init(seed: UInt64) {
        self.seed = seed
        length = 3_600
        script = nil
        var random = SplitMix(state: seed &* 0x2545_F491_4F6C_DD1D &+ 1)
        var features = KernelModel.Features()
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<8: break
        case 8..<15: features.isPrivileged = false
        case 15: features.takesTriggers = false
        case 16, 17: features.hasStalls = false
        default:
            features.version = .one
            features.isPrivileged = false
        }
        self.features = features
        let services = Int.random(in: 5...7, using: &random)
        cgroups = [CgroupPlan(path: "/system.slice"), CgroupPlan(path: "/user.slice")]
        let isV1 = features.version == .one
        for number in 0..<services {
            let slice = number % 3 == 2 ? 1 : 0
            let name = slice == 0 ? "/system.slice/service-\(number).service" : "/user.slice/app-\(number).scope"
            var plan = CgroupPlan(path: name, parent: slice)
            let limit = (Double.random(in: 100...2_000, using: &random) * Self.mebibyte).rounded()
            switch isV1 ? 0 : Int.random(in: 0..<8, using: &random) {
            case 0, 1, 2: plan.max = limit
            case 3, 4: plan.high = limit
            case 5, 6:
                plan.high = limit
                plan.max = (limit * Double.random(in: 1.02...1.2, using: &random)).rounded()
            default: break
            }
            plan.base = (limit * Double.random(in: 0.02...0.08, using: &random)).rounded()
            plan.files = (limit * Double.random(in: 0...0.12, using: &random)).rounded()
            let count = Int.random(in: 3...4, using: &random)
            for _ in 0..<count {
                hosts.append(
                    HostPlan(
                        cgroup: cgroups.count,
                        base: (limit * Double.random(in: 0.05...0.3, using: &random) / Double(count)).rounded(),
                        capacity: (limit * Double.random(in: 0.1...0.35, using: &random) / Double(count)).rounded(),
                        filling: Double.random(in: 3...60, using: &random),
                        answerTime: Self.logarithmic(0.000_5...0.4, &random),
                        priority: UInt8.random(in: 0...2, using: &random) * 100,
                        uid: UInt32.random(in: 1_000...1_003, using: &random),
                        saysReleasable: Bool.random(using: &random)
                    )
                )
            }
            cgroups.append(plan)
        }
        while hosts.count < 20 {
            hosts.append(hosts[Int.random(in: 0..<hosts.count, using: &random)])
        }
        let used = hosts.reduce(0) { $0 + $1.base + $1.capacity } + cgroups.reduce(0) { $0 + $1.base + $1.files }
        memory = (used * Double.random(in: 1.1...3, using: &random)).rounded()
        swap = Bool.random(using: &random) ? 0 : (memory * Double.random(in: 0.02...0.3, using: &random)).rounded()
        if !isV1, Int.random(in: 0..<3, using: &random) == 0 {
            let inside = Self.held(in: 0, cgroups, hosts)
            cgroups[0].max = (inside * Double.random(in: 1.1...1.6, using: &random)).rounded()
        }
        patterns = Bool.random(using: &random) ? ["/system.slice/*.service"] : ["/user.slice"]
        hostsKept = Array(hosts.indices)
        episodesKept = []
        faultsKept = []
        makeEpisodes(&random)
        makeFaults(&random)
        episodesKept = Array(episodes.indices)
        faultsKept = Array(faults.indices)
    }

    /// Creates a machine of 1 GiB with only the script's steps, and memwarnd watching each of its cgroups.
    init(_ script: Script) {
        seed = 0
        length = script.length
        features = KernelModel.Features()
        (memory, swap) = (1_024 * Self.mebibyte, 256 * Self.mebibyte)
        cgroups = script.cgroups
        patterns = script.cgroups.map(\.path)
        self.script = script
        (hostsKept, episodesKept, faultsKept) = ([], [], [])
    }

    /// The same scenario with only a part of its hosts, episodes and faults.
    package func keeping(hosts: [Int]? = nil, episodes: [Int]? = nil, faults: [Int]? = nil) -> Self {
        var part = self
        if let hosts { part.hostsKept = hosts }
        if let episodes { part.episodesKept = episodes }
        if let faults { part.faultsKept = faults }
        return part
    }

    private static func logarithmic(_ range: ClosedRange<Double>, _ random: inout SplitMix) -> Double {
        // A power of two with linear interpolation, without a math library.
        var low = range.lowerBound
        var steps = 0
        while low * 2 <= range.upperBound {
            low *= 2
            steps += 1
        }
        low = range.lowerBound
        for _ in 0..<Int.random(in: 0...steps, using: &random) { low *= 2 }
        return min(range.upperBound, Double.random(in: low...(2 * low), using: &random))
    }

    /// The memory in a cgroup while everything is calm.
    private static func held(in cgroup: Int?, _ cgroups: [CgroupPlan], _ hosts: [HostPlan]) -> Double {
        func isInside(_ index: Int) -> Bool { cgroup == nil || index == cgroup || cgroups[index].parent == cgroup }
        let programs = cgroups.indices.filter(isInside).reduce(0) { $0 + cgroups[$1].base + cgroups[$1].files }
        return hosts.filter { isInside($0.cgroup) }.reduce(programs) { $0 + $1.base + $1.capacity }
    }

    private mutating func makeEpisodes(_ random: inout SplitMix) {
        let count = Int.random(in: 62...72, using: &random)
        let spacing = (calm - 60) / Double(count)
        // The machine itself is one of the places where memory can run short.
        let limited: [Int?] = [nil] + cgroups.indices.filter { cgroups[$0].limit < .infinity }
        for number in 0..<count {
            let domain = limited[Int.random(in: 0..<limited.count, using: &random)]
            let limit = domain.map { cgroups[$0].limit } ?? memory
            let used = Self.held(in: domain, cgroups, hosts)
            let caches = hosts.filter { host in
                domain == nil || host.cgroup == domain || cgroups[host.cgroup].parent == domain
            }.reduce(0) { $0 + $1.capacity }
            let files = cgroups.indices.filter { domain == nil || $0 == domain || cgroups[$0].parent == domain }
                .reduce(0) { $0 + cgroups[$1].files }
            let room = max(limit * 0.05, limit - used)
            let kind: Episode.Kind
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<13:
                let swap = domain == nil ? self.swap : 0
                let over = files + swap + caches * Double.random(in: 0...0.8, using: &random)
                kind = .growth(
                    room + (Bool.random(using: &random) ? over : files * Double.random(in: -0.5...1, using: &random))
                )
            case 13..<17: kind = .thrash(room + (files + limit * 0.1) * Double.random(in: 0...1, using: &random))
            case 17, 18: kind = .stream
            default: kind = .compaction(Double.random(in: 0.05...0.6, using: &random))
            }
            var cgroup = domain
            if let slice = domain, slice < 2 {
                cgroup =
                    cgroups.indices.filter { cgroups[$0].parent == slice && cgroups[$0].limit == .infinity }.first
                    ?? slice
            }
            episodes.append(
                Episode(
                    cgroup: cgroup,
                    kind: kind,
                    start: 40 + (Double(number) + Double.random(in: 0...0.8, using: &random)) * spacing,
                    growing: Self.logarithmic(0.8...25, &random),
                    holding: Double.random(in: 1...10, using: &random)
                )
            )
        }
    }

    private mutating func makeFaults(_ random: inout SplitMix) {
        var at = 30.0
        while at < calm - 60 {
            faults.append(Fault(at: at + Double.random(in: 0...50, using: &random), kind: makeFault(&random)))
            at += 56
        }
    }

    private func makeFault(_ random: inout SplitMix) -> Fault.Kind {
        let host = Int.random(in: 0..<hosts.count, using: &random)
        let service = Int.random(in: 2..<cgroups.count, using: &random)
        let time = Self.logarithmic(0.5...32, &random)
        switch Int.random(in: 0..<25, using: &random) {
        case 0: return .lostDaemon(time, keepsStore: false)
        case 1: return .lostDaemon(min(1, time / 10), keepsStore: true)
        case 2, 3: return .upgrade(down: min(2, time / 10), afterEffects: Int.random(in: 0...4, using: &random))
        case 4: return .freeze(min(8, time))
        case 5: return .clockJump(time * 30)
        case 6: return .behaviour(host: host, .slow, 30 + time * 4)
        case 7: return .behaviour(host: host, .silent, 30 + time * 4)
        case 8: return .behaviour(host: host, .lying, 30 + time * 4)
        case 9: return .behaviour(host: host, .flooding, 4 + time / 4)
        case 10, 11: return .fullSocket(host: host, time * 2)
        case 12: return .restart(host: host, time)
        case 13: return .descriptors(time * 2)
        case 14: return .opens(cgroup: service, [2, 13, 24, 12][Int.random(in: 0..<4, using: &random)], time * 2)
        case 15: return .reads(cgroup: service, limitsOnly: Bool.random(using: &random), time * 2)
        case 16: return .removal(cgroup: service, time)
        case 17, 18: return .move(host: host, cgroup: service)
        case 19, 20: return .accounting(cgroup: service, time)
        case 21: return .limits(cgroup: service, factor: Double.random(in: 1.05...1.6, using: &random), time * 4)
        case 22: return .limits(cgroup: service, factor: Double.random(in: 0.85...0.98, using: &random), time)
        case 23: return .reload(Int.random(in: 0..<6, using: &random))
        default: return .request(Int.random(in: 0..<6, using: &random))
        }
    }
}
