import CLinux
import MemoryPressure
import MemwarnProtocol
import Testing

/// A program that follows `$MEMORY_PRESSURE_WATCH`, in this process.
final class PressureClient {
    private let connection: Descriptor

    /// Connects, and writes the given text.
    init(path: String, writing text: String = "some 200000 2000000\0") throws {
        let address = try SocketAddress(path: path)
        let raw = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        try #require(raw >= 0, "socket: errno \(errno)")
        connection = Descriptor(taking: raw)
        try #require(address.withSockaddr { connect(raw, $0, $1) } == 0, "connect: errno \(errno)")
        if !text.isEmpty { try #require(write(Array(text.utf8)) == text.utf8.count) }
    }

    /// Writes bytes; −1 if that fails, with the reason in `errno`.
    @discardableResult
    func write(_ bytes: [UInt8]) -> Int {
        send(connection.raw, bytes, bytes.count, CInt(MSG_NOSIGNAL))
    }

    /// Waits until there is data to read or the connection has ended.
    ///
    /// - Returns: Whether that has happened.
    func wait(within seconds: Double = 20) -> Bool {
        var request = pollfd(fd: connection.raw, events: Int16(POLLIN))
        return poll(&request, 1, CInt(seconds * 1000)) > 0
    }

    /// Waits until there is room to write, or the connection has ended.
    func waitForRoom() {
        var request = pollfd(fd: connection.raw, events: Int16(POLLOUT))
        _ = poll(&request, 1, 1_000)
    }

    /// Whether there is data to read or the connection has ended.
    var hasNews: Bool { wait(within: 0) }

    /// Waits for warnings, and returns the number of those that have arrived; 0 means the end of the connection.
    func warnings() throws -> Int {
        try #require(wait(), "there was no warning")
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = recv(connection.raw, &bytes, bytes.count, 0)
        return count < 0 && errno == ECONNRESET ? 0 : try #require(count >= 0 ? count : nil, "recv: errno \(errno)")
    }
}
