import CLinux
import Testing

@testable import Systemd

struct MemoryFileTests {
    private func bytes(_ count: Int, _ value: UInt8) -> [UInt8] {
        [UInt8](repeating: value, count: count)
    }

    @Test func aNewFileIsEmpty() throws {
        let file = try MemoryFile(name: "record")
        #expect(try file.read(limit: 0) == [])
        #expect(fcntl(file.fd, F_GETFD) == FD_CLOEXEC)
    }

    @Test("the file has the content that was written last, whatever it had before", arguments: [1, 2, 3, 4, 5])
    func replaces(_ seed: Int) throws {
        let file = try MemoryFile(name: "record")
        for step in 0..<40 {
            let content = bytes((step * seed * 7919) % 10_000, UInt8(step))
            try file.write(content)
            #expect(try file.read(limit: 10_000) == content)
        }
    }

    @Test("the file does not grow with the number of writes")
    func size() throws {
        let file = try MemoryFile(name: "record")
        for step in 0..<1000 { try file.write(bytes(900 + step % 100, 1)) }
        var status = stat()
        #expect(fstat(file.fd, &status) == 0)
        #expect(status.st_size < 5000)
        try file.write([])
        try file.write([1])
        #expect(fstat(file.fd, &status) == 0)
        #expect(status.st_size < 50)
    }

    @Test func anotherOwnerOfTheDescriptorFindsTheContent() throws {
        let file = try MemoryFile(name: "record")
        try file.write([1, 2, 3])
        let other = MemoryFile(adopting: fcntl(file.fd, F_DUPFD_CLOEXEC, 0))
        #expect(try other.read(limit: 3) == [1, 2, 3])
        try other.write([4])
        #expect(try file.read(limit: 3) == [4])
    }

    @Test("an unfinished write keeps the previous content", arguments: [0, 1, 5000, 20_000])
    func unfinished(_ length: Int) throws {
        let file = try MemoryFile(name: "record")
        let first = bytes(5000, 1)
        try file.write(first)
        // As if the process was killed before it wrote the header: part of the new content is behind the old one.
        let part = bytes(length, 2)
        #expect(pwrite(file.fd, part, part.count, 16 + 5000) == part.count)
        #expect(try file.read(limit: 5000) == first)
        try file.write([7])
        #expect(try file.read(limit: 5000) == [7])

        // The same for a file's first write.
        let new = try MemoryFile(name: "record")
        #expect(pwrite(new.fd, part, part.count, 16) == part.count)
        #expect(try new.read(limit: 5000) == [])
        try new.write([8])
        #expect(try new.read(limit: 5000) == [8])
    }

    @Test("if memory runs out, the previous content stays")
    func noMemory() async {
        await #expect(processExitsWith: .success) {
            // Simulates that memory runs out in the middle of a write: a limit on the length of files.
            signal(SIGXFSZ, SIG_IGN)
            let file = try MemoryFile(name: "record")
            try file.write([1, 2, 3])
            var limit = rlimit(rlim_cur: 10_000, rlim_max: 10_000)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let operation = "write the memory file at file descriptor \(file.fd)"
            #expect(throws: SystemdError(operation, errno: EFBIG)) {
                try file.write([UInt8](repeating: 9, count: 20_000))
            }
            let content = try file.read(limit: 3)
            #expect(content == [1, 2, 3])
        }
    }

    @Test func contentBeyondTheLimitIsAnError() throws {
        let file = try MemoryFile(name: "record")
        try file.write([1, 2, 3])
        #expect(throws: SystemdError("read the memory file at file descriptor \(file.fd)", errno: EFBIG)) {
            try file.read(limit: 2)
        }
    }

    @Test(
        "a file of another kind causes an error",
        arguments: [
            [1], [16, 1], [0, 1], [15, 0], [17, 0], [.max, .max], [16, .max], [.max, 1], [1, 0],
        ] as [[UInt64]]
    )
    func otherFiles(_ header: [UInt64]) throws {
        let file = try MemoryFile(name: "record")
        header.withUnsafeBytes { _ = pwrite(file.fd, $0.baseAddress, $0.count, 0) }
        let error = SystemdError("read the memory file at file descriptor \(file.fd)", errno: EBADMSG)
        #expect(throws: error) { try file.read(limit: 1000) }
        #expect(throws: error) { try file.write([1]) }
    }

    @Test func aNameThatIsTooLongIsAnError() {
        #expect(throws: SystemdError("make a memory file", errno: EINVAL)) {
            try MemoryFile(name: String(repeating: "x", count: 250))
        }
    }
}
