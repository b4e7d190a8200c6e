import CLinux
import MemoryPressure
import MemwarnProtocol
import Systemd
import TestSupport
import Testing

/// Where a service manager is told how a service is, and given what it is to keep: a datagram socket.
final class NotifySocket {
    /// A descriptor that is kept, and under which name.
    struct Kept {
        let name: String
        let descriptor: CInt
    }

    let path: String
    /// What is kept, as far as it was heard of.
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

    /// The next message that is not about what to keep.
    func next() throws -> String {
        while true {
            let text = try #require(hear(within: 20), "nothing was reported")
            if !text.hasPrefix("FDSTORE") { return text }
        }
    }

    /// The next message, and keeps or forgets what it says; `nil` if there is none.
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

    /// Takes everything that waits, and lets go of what has hung up.
    func drain() {
        while hear(within: 0) != nil {}
        dropHungUp()
    }

    /// Listens until this is so of the names that are kept.
    func waitUntilKept(_ condition: ([String]) -> Bool) throws {
        drain()
        while !condition(kept.map(\.name)) {
            var requests = [pollfd(fd: descriptor, events: Int16(POLLIN))]
            requests += kept.map { pollfd(fd: $0.descriptor, events: 0) }
            try #require(poll(&requests, nfds_t(requests.count), 20_000) > 0, "only \(kept.map(\.name)) are kept")
            drain()
        }
    }

    /// Lets go of connections that have ended, as systemd does by itself.
    private func dropHungUp() {
        kept.removeAll { entry in
            // With nothing asked for, what is reported is that it has hung up.
            var request = pollfd(fd: entry.descriptor, events: 0)
            guard poll(&request, 1, 0) > 0 else { return false }
            close(entry.descriptor)
            return true
        }
    }

    /// Keeps duplicates of descriptors, and files with these contents, as if they had been given to it.
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

    /// Closes what is kept under a name.
    func forget(_ name: String) {
        for entry in kept where entry.name == name { close(entry.descriptor) }
        kept.removeAll { $0.name == name }
    }
}
