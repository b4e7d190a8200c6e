import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

/// Frames of earlier programs of version 1, from before the messages had their last fields.
///
/// Their bytes are files in `Tests/Frames/version-1-earlier` and never change.
struct EarlierFrameTests {
    private static let folder = "Tests/Frames/version-1-earlier"

    private static let messages: [String: Message] = [
        "hello-without-accepts": .hello(Hello(priority: 200, releasable: 64 << 20, name: "galería")),
        "hello-without-allocator": .hello(
            Hello(priority: 200, releasable: 64 << 20, name: "galería", accepts: .commands)
        ),
        "welcome-without-limit": .welcome(
            Welcome(
                hostID: 7,
                level: .warning,
                reason: PressureReason(.headroom, figure: .percent(4.5), threshold: .percent(10)),
                scope: "/system.slice/gallery.service"
            )
        ),
        "warning-without-limit": .warning(
            Warning(
                level: .critical,
                options: [.answerWanted, .repeated],
                reason: PressureReason(.someStall, figure: .percent(43.2), threshold: .percent(10)),
                bytesWanted: 32 << 20,
                deadline: 1000,
                scope: "/"
            )
        ),
        "daemon-without-refusal": .daemon(
            DaemonRecord {
                $0.pid = 812
                $0.uptime = 86_400_000
                $0.level = .warning
                $0.hosts = 10_000
                $0.scopes = 3
                $0.rounds = 99
                $0.version = "1.0.0"
                $0.doors = "native"
            }
        ),
        "host-without-allocator": .host(
            HostRecord {
                $0.id = 7
                $0.state = .present
                $0.pid = 4711
                $0.uid = 1000
                $0.priority = 128
                $0.level = .critical
                $0.releasable = 16 << 20
                $0.lastRound = 42
                $0.outcome = .silent
                $0.released = 32 << 20
                $0.residentBefore = 80 << 20
                $0.residentAfter = 48 << 20
                $0.duration = 12_345
                $0.name = "gallery"
                $0.scope = "/user.slice"
                $0.door = .pressure
            }
        ),
    ]

    @Test("an earlier frame without the last fields is read, and these fields are unknown")
    func read() throws {
        let names = try Repository.names(in: Self.folder)
        #expect(names.count == Self.messages.count)
        for name in names {
            let text = String(decoding: try Repository.read("\(Self.folder)/\(name)"), as: UTF8.self)
            let message = try Frame(bytes: [UInt8](hex: text)).message
            #expect(message == Self.messages[String(name.prefix { $0 != "." })], "\(name)")
        }
    }
}
