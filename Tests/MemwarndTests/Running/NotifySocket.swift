import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import TestSupport
import Testing

/// A service manager's notification socket: a datagram socket that receives status messages and descriptors to store.
final class NotifySocket {
    /// A stored descriptor and its name.
    struct Kept {
        let name: String
        let descriptor: CInt
    }

    let path: String
    /// The descriptors that are stored, as far as the messages have been read.
    private(set) var kept: [Kept] = []
    private let directory: TemporaryDirectory
    private let descriptor: CInt

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/notify"
        descriptor = socket(AF_UNIX, CInt(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let address = try SocketAddress(path: path)
        let bound = descriptor
        try #require(address.withSockaddr { bind(bound, $0, $1) } == 0, "bind: errno \(errno)")
    }

    deinit {
        for entry in kept { close(entry.descriptor) }
        close(descriptor)
    }

    /// The next message that does not concern the store.
    func next() throws -> String {
        while true {
            let text = try #require(hear(within: 20), "nothing was reported")
            if !text.hasPrefix("FDSTORE") { return text }
        }
    }

    /// Reads the next message and updates the store from it; `nil` if none arrives.
    func hear(within seconds: Double) -> String? {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN))
        guard poll(&request, 1, CInt(seconds * 1000)) > 0, let datagram = Datagram(receivedFrom: descriptor) else {
            return nil
        }
        let lines = datagram.text.split(separator: "\n")
        let name = lines.first { $0.hasPrefix("FDNAME=") }.map { String($0.dropFirst(7)) } ?? "stored"
        kept += datagram.descriptors.map { Kept(name: name, descriptor: $0) }
        if lines.contains("FDSTOREREMOVE=1") { forget(name) }
        return datagram.text
    }

    /// Reads all waiting messages, and drops connections that have hung up.
    func drain() {
        while hear(within: 0) != nil {}
        dropHungUp()
    }

    /// Reads messages until the stored names satisfy a condition.
    func waitUntilKept(_ condition: ([String]) -> Bool) throws {
        drain()
        while !condition(kept.map(\.name)) {
            var requests = [pollfd(fd: descriptor, events: Int16(POLLIN))]
            requests += kept.map { pollfd(fd: $0.descriptor, events: 0) }
            try #require(poll(&requests, nfds_t(requests.count), 20_000) > 0, "only \(kept.map(\.name)) are kept")
            drain()
        }
    }

    /// Drops connections that have ended, as systemd does.
    private func dropHungUp() {
        kept.removeAll { entry in
            // Without requested events, `poll` reports only that the connection has hung up.
            var request = pollfd(fd: entry.descriptor, events: 0)
            guard poll(&request, 1, 0) > 0 else { return false }
            close(entry.descriptor)
            return true
        }
    }

    /// Stores duplicates of descriptors, and files with these contents, as if the daemon had sent them.
    func keep(_ name: String, _ descriptors: [CInt] = [], files: [[UInt8]] = []) throws {
        func keep(_ descriptor: CInt) {
            kept.append(Kept(name: name, descriptor: fcntl(descriptor, F_DUPFD_CLOEXEC, 3)))
        }
        for descriptor in descriptors { keep(descriptor) }
        for content in files {
            let file = try MemoryFile(name: name)
            try file.write(content)
            keep(file.fd)
        }
    }

    /// Closes the descriptors stored under a name.
    func forget(_ name: String) {
        for entry in kept where entry.name == name { close(entry.descriptor) }
        kept.removeAll { $0.name == name }
    }
}
