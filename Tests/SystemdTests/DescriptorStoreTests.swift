import CLinux
import TestSupport
import Testing

@testable import Systemd

@Suite("Descriptors are stored with the service manager", .timeLimit(.minutes(1)))
struct DescriptorStoreTests {
    private let name = "@memwarnd-test-store-\(getpid())-\(UInt32.random(in: 0 ... .max))"

    @Test("stored descriptors are sent with their name, and still belong to the caller")
    func stores() throws {
        let manager = try UnixSocket(name)
        let notifier = try ServiceNotifier(name: name, on: EventLoop())
        let pipe = try Pipe()
        try notifier.store(name: "host-7", descriptors: [pipe.reader, pipe.writer])
        let received = try #require(manager.receiveWithDescriptors())
        defer { for fd in received.descriptors { close(fd) } }
        #expect(received.text == "FDSTORE=1\nFDNAME=host-7")
        try #require(received.descriptors.count == 2)
        // The same pipe, under other numbers.
        var byte: UInt8 = 42
        #expect(write(received.descriptors[1], &byte, 1) == 1)
        byte = 0
        #expect(read(pipe.reader, &byte, 1) == 1)
        #expect(byte == 42)
        #expect(fcntl(pipe.writer, F_GETFD) >= 0)

        try notifier.removeStored(name: "host-7")
        #expect(manager.receiveText() == "FDSTOREREMOVE=1\nFDNAME=host-7")
    }

    @Test func aMessageCarriesTheKernelsMaximumOfDescriptors() throws {
        let manager = try UnixSocket(name)
        let notifier = try ServiceNotifier(name: name, on: EventLoop())
        let pipe = try Pipe()
        #expect(ServiceNotifier.storeLimit == 253)
        try notifier.store(name: "many", descriptors: Array(repeating: pipe.writer, count: 253))
        let received = try #require(manager.receiveWithDescriptors())
        for fd in received.descriptors { close(fd) }
        #expect(received.descriptors.count == 253)
    }

    @Test("a waiting notice has duplicates of the descriptors, and closes them when it is sent")
    func duplicates() throws {
        let manager = try UnixSocket(name)
        let notifier = try ServiceNotifier(name: name, on: EventLoop())
        while notifier.queue.isEmpty { try notifier.ready() }
        let pipe = try Pipe()
        try notifier.store(name: "a", descriptors: [pipe.writer])
        pipe.closeWriter()
        #expect(!pipe.isAtEnd)

        while manager.receive() != nil {}
        #expect(notifier.flush(within: .seconds(10)))
        #expect(manager.receiveText() == "READY=1")
        let received = try #require(manager.receiveWithDescriptors())
        #expect(received.descriptors.count == 1)
        #expect(!pipe.isAtEnd)
        for fd in received.descriptors { close(fd) }
        #expect(pipe.isAtEnd)
    }

    @Test("a notifier that is destroyed closes the descriptors of waiting notices")
    func closesWhatWaits() throws {
        let manager = try UnixSocket(name)
        var notifier: ServiceNotifier? = try ServiceNotifier(name: name, on: EventLoop())
        while notifier?.queue.isEmpty == true { try notifier?.ready() }
        let pipe = try Pipe()
        try notifier?.store(name: "a", descriptors: [pipe.writer])
        pipe.closeWriter()
        #expect(!pipe.isAtEnd)
        notifier = nil
        #expect(pipe.isAtEnd)
        withExtendedLifetime(manager) {}
    }

    @Test("while too many notices wait, nothing more is stored, but stored descriptors can be removed")
    func limit() throws {
        let manager = try UnixSocket(name)
        let notifier = try ServiceNotifier(name: name, on: EventLoop(), limit: 2)
        while notifier.queue.isEmpty { try notifier.ready() }
        let pipe = try Pipe()
        try notifier.store(name: "a", descriptors: [pipe.writer])
        let full = SystemdError("notify the service manager at \(name)", errno: ENOBUFS)
        #expect(throws: full) { try notifier.store(name: "b", descriptors: [pipe.writer]) }
        try notifier.removeStored(name: "a")
        try notifier.removeStored(name: "z")
        #expect(throws: full) { try notifier.removeStored(name: "y") }
        try notifier.stopping()
        #expect(notifier.queue.count == 5)
        withExtendedLifetime(manager) {}
    }

    @Test func aDescriptorThatIsNotOpenIsAnError() throws {
        let manager = try UnixSocket(name)
        let notifier = try ServiceNotifier(name: name, on: EventLoop())
        let pipe = try Pipe()
        #expect(throws: SystemdError("duplicate file descriptor -1", errno: EBADF)) {
            try notifier.store(name: "a", descriptors: [pipe.writer, -1])
        }
        #expect(manager.receive() == nil)
        // The duplicate of the first descriptor was closed.
        pipe.closeWriter()
        #expect(pipe.isAtEnd)
    }

    @Test(
        "a name that the manager would not store is a programming error",
        arguments: ["", "a:b", "a\nb", "é", String(repeating: "x", count: 256)]
    )
    func names(_ name: String) async {
        await #expect(processExitsWith: .failure) { [name] in
            try ServiceNotifier(name: nil, on: EventLoop()).removeStored(name: name)
        }
    }

    @Test("a message has between one descriptor and the kernel's maximum", arguments: [0, 254])
    func counts(_ count: Int) async {
        await #expect(processExitsWith: .failure) { [count] in
            let descriptors = [CInt](repeating: STDIN_FILENO, count: count)
            try ServiceNotifier(name: nil, on: EventLoop()).store(name: "a", descriptors: descriptors)
        }
    }
}
