import MemoryPressure
import Testing

@testable import WarningPolicy

struct PeerQuotasTests {
    typealias Account = PeerQuotas.Account

    static let start = MonotonicInstant(nanoseconds: 5_000_000_000)

    static func quotas(total: Int = 80, perUser: Int? = nil) -> PeerQuotas {
        PeerQuotas(total: total, perUser: perUser, exempt: [0])
    }

    /// Admits as many of an account's `count` newcomers as the quotas allow, and returns their number.
    static func admit(
        _ count: Int,
        of account: Account,
        to quotas: inout PeerQuotas,
        at now: MonotonicInstant = start
    ) -> Int {
        for admitted in 0..<count {
            guard refusal(of: account, by: &quotas, at: now) == nil else { return admitted }
            quotas.enter(account, at: now)
        }
        return count
    }

    static func refusal(
        of account: Account,
        by quotas: inout PeerQuotas,
        at now: MonotonicInstant = start
    ) -> String? {
        quotas.refusal(of: account.uid, at: now) ?? quotas.refusal(of: account, at: now)
    }

    /// A process of this user in its own service.
    static func service(_ uid: UInt32) -> Account {
        Account(uid: uid, cgroup: "/system.slice/service-\(uid).service")
    }

    @Test("a user may have an eighth of the total, and at most 512, unless the configuration differs")
    func users() {
        var quotas = Self.quotas()
        #expect(Self.admit(80, of: Self.service(1000), to: &quotas) == 10)
        #expect(
            Self.refusal(of: Self.service(1000), by: &quotas)
                == "uid 1000 has 10 connections already, the maximum of limits.peers-per-user"
        )
        #expect(Self.admit(3, of: Self.service(1001), to: &quotas) == 3)
        var told = Self.quotas(perUser: 2)
        #expect(Self.admit(8, of: Self.service(7), to: &told) == 2)
        told.follow(perUser: 3)
        #expect(Self.admit(8, of: Self.service(7), to: &told) == 1)
        #expect(Self.quotas(total: 65_024).perUser == 512)
        #expect(Self.quotas(total: 3).perUser == 1)
    }

    @Test("as many newcomers of an account may wait as its limit of connections, and an eighth of the total of all")
    func waiting() {
        let quotas = Self.quotas()
        #expect(quotas.crowd(1000, with: 10, of: 10) == .none && quotas.crowd(1000, with: 11, of: 11) == .account)
        #expect(quotas.crowd(1000, with: 1, of: 11) == .all)
        #expect(quotas.crowd(0, with: 100, of: 100) == .none)
    }

    @Test("all uids of one user share the limit of one, since they are in the user's cgroup")
    func ownedUIDs() {
        var quotas = Self.quotas()
        func owned(_ uid: UInt32) -> Account {
            Account(uid: uid, cgroup: "/user.slice/user-1000.slice/user@1000.service/app.slice/\(uid).scope")
        }
        var admitted = 0
        for uid in 100_000..<UInt32(100_100) { admitted += Self.admit(1, of: owned(uid), to: &quotas) }
        #expect(admitted == 10)
        #expect(
            Self.refusal(of: owned(100_500), by: &quotas)
                == """
                the cgroup of uid 100500 has 10 connections already, the maximum of limits.peers-per-user
                """
        )
        #expect(Self.admit(1, of: Account(uid: 1001, cgroup: "/user.slice/user-1001.slice"), to: &quotas) == 1)
    }

    @Test("two users cannot shut out a third one or root")
    func two() {
        var quotas = Self.quotas()
        for uid: UInt32 in [1000, 1001] { #expect(Self.admit(80, of: Self.service(uid), to: &quotas) == 10) }
        #expect(Self.admit(80, of: Self.service(1002), to: &quotas) == 10)
        #expect(Self.admit(80, of: Self.service(0), to: &quotas) == 50)
    }

    @Test("an eighth of the total is reserved for root, however many users there are, and the total limits root too")
    func reserve() {
        var quotas = Self.quotas()
        var admitted = 0
        for uid in UInt32(1000)..<1100 { admitted += Self.admit(1, of: Self.service(uid), to: &quotas) }
        #expect(admitted == 70)
        let message = "there are 70 peers already; raise LimitNOFILE= of the daemon"
        #expect(Self.refusal(of: Self.service(2000), by: &quotas) == message)
        #expect(Self.admit(80, of: Self.service(0), to: &quotas) == 10)
        #expect(
            Self.refusal(of: Self.service(0), by: &quotas)
                == "there are 80 peers already; raise LimitNOFILE= of the daemon"
        )
    }

    @Test("connections without a cgroup of their own may be half of the total, and each uid is limited")
    func strangers() {
        var quotas = Self.quotas()
        var admitted = 0
        for uid in UInt32(1000)..<1100 { admitted += Self.admit(1, of: Account(uid: uid, cgroup: nil), to: &quotas) }
        #expect(admitted == 40)
        let refusal = Self.refusal(of: Account(uid: 5, cgroup: "/"), by: &quotas)
        #expect(refusal?.contains("no visible cgroup of their own") == true)
        #expect(Self.admit(80, of: Self.service(5), to: &quotas) == 10)
    }

    @Test(
        "cgroups are counted by the first component, and below a slice by two, compared as bytes",
        arguments: [
            ("/user.slice/user-1.slice/a", "/user.slice/user-1.slice/b", true),
            ("/user.slice/user-1.slice", "/user.slice/user-10.slice", false),
            ("/system.slice/a.service", "/system.slice/b.service", false),
            ("/system.slice/a.service", "/system.slice/a.service/inner", true),
            (
                "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-poda.slice/cri-1.scope",
                "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podb.slice/cri-2.scope", false
            ),
            (
                "/kubepods.slice/kubepods-poda.slice/cri-1.scope/a", "/kubepods.slice/kubepods-poda.slice/cri-1.scope",
                true
            ),
            ("/kubepods/burstable/poda/1", "/kubepods/burstable/podb/1", false),
            ("/docker/a/1", "/docker/a/2", true), ("/docker/a", "/docker/b", false),
            ("/user.slice/user-1.slice/a.slice/b", "/user.slice/user-1.slice/c.slice/d", true),
            ("/a.slice/b.slice/c.service", "/a.slice/b.slice/d.service", false),
            ("/lxc.payload.a/1", "/lxc.payload.a/2", true),
            ("/lxc.payload.a/x.slice/1", "/lxc.payload.a/x.slice/2", true),
            ("/../../user.slice/user-1.slice", "/user.slice/user-1.slice", true),
            ("/e\u{301}", "/\u{e9}", false),
            ("/", "/..", true),
        ]
    )
    func keys(one: String, other: String, areTogether: Bool) {
        #expect((Account(uid: 1, cgroup: one) == Account(uid: 1, cgroup: other)) == areTogether)
    }

    @Test("a connection that ends makes room for one, however long the others have lasted")
    func roomForOne() {
        var quotas = Self.quotas()
        #expect(Self.admit(80, of: Self.service(7), to: &quotas) == 10)
        let later = Self.start.advanced(by: .seconds(3600))
        quotas.leave(Self.service(7), at: later)
        #expect(Self.admit(80, of: Self.service(7), to: &quotas, at: later) == 1)
        #expect(quotas.count == 10)
    }

    @Test("each connection that ends makes room")
    func leaving() {
        var quotas = Self.quotas()
        #expect(Self.admit(80, of: Self.service(1000), to: &quotas) == 10)
        quotas.leave(Self.service(1000), at: Self.start)
        #expect(quotas.count == 9)
        #expect(Self.admit(80, of: Self.service(1000), to: &quotas) == 1)
    }

    @Test("uids that were refused, or have left long ago, take no memory")
    func forgotten() throws {
        var quotas = Self.quotas(total: 100_000)
        for uid in 1...10_000 as ClosedRange<UInt32> {
            let now = Self.start.advanced(by: .seconds(Int(uid)))
            #expect(quotas.refusal(of: uid, at: now) == nil)
        }
        let users = try #require(Mirror(reflecting: quotas).descendant("users", "entries"))
        #expect(Mirror(reflecting: users).children.count <= 1_024)
    }

    @Test("one user may open ten thousand connections at once, but not open and close them without end")
    func speed() {
        var quotas = Self.quotas(total: 100_000, perUser: 10_000)
        func comeAndGo(_ account: Account) -> Int {
            let admitted = Self.admit(50_000, of: account, to: &quotas)
            for _ in 0..<admitted { quotas.leave(account, at: Self.start) }
            return admitted
        }
        #expect(comeAndGo(Self.service(1000)) == 10_000)
        #expect(comeAndGo(Self.service(1000)) == 10_000)
        #expect(Self.refusal(of: Self.service(1000), by: &quotas) == "uid 1000 connects too often; wait a second")
        #expect(comeAndGo(Self.service(1001)) == 10_000)
        let later = Self.start.advanced(by: .seconds(1))
        #expect(Self.admit(1_000, of: Self.service(1000), to: &quotas, at: later) == 100)
    }

    @Test("the uids of a user together may not open connections faster than one")
    func speedOfOwnedUIDs() {
        var quotas = Self.quotas(total: 100_000)
        var admitted = 0
        for uid in 100_000..<UInt32(130_000) {
            let account = Account(uid: uid, cgroup: "/user.slice/user-1000.slice")
            guard Self.refusal(of: account, by: &quotas) == nil else { break }
            admitted += 1
        }
        #expect(admitted == 20_000)
    }
}
