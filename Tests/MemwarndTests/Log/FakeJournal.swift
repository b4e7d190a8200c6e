import CLinux
import MemwarnProtocol
import TestSupport
import Testing

@testable import Systemd

/// A journal that listens in place of journald and reads only when a test asks it to.
final class FakeJournal {
    let path: String
    let descriptor: CInt
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/socket"
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let bound = descriptor
        try #require(try SocketAddress(path: path).withSockaddr { bind(bound, $0, $1) } == 0, "bind: errno \(errno)")
    }

    deinit {
        close(descriptor)
    }

    /// A log that writes to this journal.
    var journal: Journal { Journal(socket: path) }

    /// The fields of the oldest waiting entry, by name; `nil` if no entry waits.
    func next() -> [String: String]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        guard count >= 0 else { return nil }
        let lines = String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
        return Dictionary(
            lines.map { line in
                let name = line.prefix { $0 != "=" }
                return (String(name), String(line.dropFirst(name.count + 1)))
            },
            uniquingKeysWith: { $1 }
        )
    }

    /// All waiting entries.
    func all() -> [[String: String]] {
        Array(sequence(state: ()) { _ in self.next() })
    }
}
