import CLinux
import TestSupport
import Testing

@testable import Systemd

/// A pipe with non-blocking ends, closed with its last reference.
final class Pipe {
    private(set) var reader: CInt
    private(set) var writer: CInt

    init() throws {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        reader = ends[0]
        writer = ends[1]
    }

    deinit {
        closeReader()
        closeWriter()
    }

    func write(_ byte: UInt8 = 1) {
        withUnsafeBytes(of: byte) { _ = CLinux.write(writer, $0.baseAddress, 1) }
    }

    func read() {
        var byte: UInt8 = 0
        _ = CLinux.read(reader, &byte, 1)
    }

    /// Whether no process has the writing end open any more, and there is nothing left to read.
    var isAtEnd: Bool {
        var request = pollfd(fd: reader, events: Int16(POLLIN))
        return poll(&request, 1, 0) == 1 && request.revents == Int16(POLLHUP)
    }

    func closeReader() {
        guard reader >= 0 else { return }
        close(reader)
        reader = -1
    }

    func closeWriter() {
        guard writer >= 0 else { return }
        close(writer)
        writer = -1
    }
}

/// A bound `AF_UNIX` socket: at a path, or in the abstract namespace if the name begins with `@`.
final class UnixSocket {
    let fd: CInt

    init(_ name: String, type: CInt = CInt(SOCK_DGRAM.rawValue)) throws {
        fd = socket(AF_UNIX, type | CInt(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(name.utf8)
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = MemoryLayout<sa_family_t>.size + bytes.count
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(fd, $0, socklen_t(length)) }
        }
        try #require(bound == 0, "bind \(name): errno \(errno)")
    }

    deinit {
        close(fd)
    }

    /// The datagram that has waited longest, or `nil` if there is none.
    func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(fd, &buffer, buffer.count, CInt(MSG_DONTWAIT))
        return count >= 0 ? Array(buffer.prefix(count)) : nil
    }

    func receiveText() -> String? {
        receive().map { String(decoding: $0, as: UTF8.self) }
    }

    /// The datagram that has waited longest, and the descriptors that it passed; the caller closes them.
    func receiveWithDescriptors() -> Datagram? {
        Datagram(receivedFrom: fd)
    }
}

extension EventLoop {
    /// Runs the loop, and ends it with 99 after ten seconds: a test that would wait for ever fails instead of hanging.
    func runWithLimit() throws -> CInt {
        let limit = try timer(accuracy: .seconds(1), priority: .important) { [unowned self] in exit(code: 99) }
        limit.arm(after: .seconds(10))
        return try withExtendedLifetime(limit) { try run() }
    }
}

/// The number of ``Counted`` objects that have been released.
final class Releases {
    var count = 0
}

/// An object for a handler to capture.
final class Counted {
    private let releases: Releases

    init(_ releases: Releases) {
        self.releases = releases
    }

    deinit {
        releases.count += 1
    }
}
