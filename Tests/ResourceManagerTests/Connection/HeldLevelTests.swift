import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

@testable import ResourceManager

struct HeldLevelTests {
    private let start = MonotonicInstant(nanoseconds: 1_000_000_000)

    /// The value, by reference, since an expectation cannot change a variable.
    private final class Subject {
        private var value: HeldLevel

        init(_ level: PressureLevel = .normal) {
            value = HeldLevel(level)
        }

        var end: MonotonicInstant? { value.end }

        func tell(_ level: PressureLevel) { value.tell(level) }

        func hasToFall(isWatched: Bool, at now: MonotonicInstant) -> Bool {
            value.hasToFall(isWatched: isWatched, at: now)
        }
    }

    private func after(_ seconds: Int) -> MonotonicInstant { start.advanced(by: .seconds(seconds)) }

    @Test("a raised level falls 30 s after the last that was watched")
    func falls() {
        let held = Subject()
        held.tell(.critical)
        #expect(!held.hasToFall(isWatched: true, at: start))
        #expect(held.end == nil)
        #expect(!held.hasToFall(isWatched: false, at: after(100)))
        #expect(held.end == after(130))
        #expect(!held.hasToFall(isWatched: false, at: after(129)))
        #expect(held.hasToFall(isWatched: false, at: after(130)))
        held.tell(.normal)
        #expect(!held.hasToFall(isWatched: false, at: after(200)))
        #expect(held.end == nil)
    }

    @Test("it holds if anything is watched again in time, and the time begins anew")
    func watchedAgain() {
        let held = Subject(.warning)
        #expect(!held.hasToFall(isWatched: false, at: start))
        #expect(!held.hasToFall(isWatched: true, at: after(29)))
        #expect(!held.hasToFall(isWatched: false, at: after(31)))
        #expect(!held.hasToFall(isWatched: false, at: after(60)))
        #expect(held.hasToFall(isWatched: false, at: after(61)))
    }

    @Test("a normal level has no end")
    func normal() {
        let held = Subject()
        #expect(!held.hasToFall(isWatched: false, at: start))
        #expect(!held.hasToFall(isWatched: false, at: after(1000)))
    }

    private func feed(_ socket: String, level: PressureLevel = .normal, grace: Duration) throws -> PressureFeed {
        try PressureFeed(
            PressureFeed.Setup(
                name: "held",
                priority: 0,
                sockets: [socket],
                kernel: .live,
                policy: SensorPolicy(),
                watchesKernel: false,
                level: level,
                grace: grace,
                releasable: { 0 }
            )
        )
    }

    private func level(_ letter: Mailbox.Letter?) -> PressureLevel? {
        guard case .warning(let delivery)? = letter, !delivery.warning.isSimulated else { return nil }
        return delivery.warning.level
    }

    @Test("when the daemon goes away at a raised level and nothing else is watched, normal is said (8.9)")
    func daemonGone() async throws {
        let daemon = try FakeDaemon()
        try daemon.listen()
        let feed = try feed(daemon.path, grace: .milliseconds(1))
        try feed.start()
        defer { feed.stop() }
        do {
            let (connection, _) = try await daemon.accept()
            try connection.welcome(.critical)
            while let letter = await feed.mailbox.next(), level(letter) != .critical {}
            daemon.close()
        }
        while let letter = await feed.mailbox.next() {
            guard let level = level(letter) else { continue }
            #expect(level == .normal)
            break
        }
    }

    @Test("a run that begins at a raised level hears from a daemon that it is normal")
    func beginsRaised() async throws {
        let daemon = try FakeDaemon()
        try daemon.listen()
        let feed = try feed(daemon.path, level: .critical, grace: .seconds(3600))
        try feed.start()
        defer { feed.stop() }
        let (connection, _) = try await daemon.accept()
        try connection.welcome(.normal)
        while let letter = await feed.mailbox.next() {
            guard let level = level(letter) else { continue }
            #expect(level == .normal)
            break
        }
    }
}
