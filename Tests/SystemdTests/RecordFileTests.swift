import CLinux
import Testing

@testable import Systemd

struct RecordFileTests {
    private static let longest = [UInt8](repeating: 9, count: RecordFile.recordLimit)

    @Test func writtenRecordsAreReadBack() throws {
        let file = try RecordFile(name: "records")
        #expect(try file.count() == 0)
        try file.write([1], at: 0)
        try file.write(Self.longest, at: 3)
        #expect(try file.count() == 4)
        #expect(try (0...4).map { try file.read(at: $0) } == [[1], nil, nil, Self.longest, nil])
        try file.write([2, 3], at: 3)
        #expect(try file.read(at: 3) == [2, 3])
    }

    @Test("no record crosses a page boundary, so none is ever half written")
    func pages() {
        #expect(4096 % (RecordFile.recordLimit + 1) == 0)
    }

    @Test("a record whose length exceeds the file is invalid")
    func cut() throws {
        let file = try RecordFile(name: "records")
        try file.write(Self.longest, at: 0)
        try #require(ftruncate(file.fd, 100) == 0)
        #expect(try file.read(at: 0) == nil)
        #expect(pwrite(file.fd, [255] as [UInt8], 1, 0) == 1)
        #expect(try file.read(at: 0) == nil)
    }

    @Test("a failed write keeps the previous record")
    func failure() throws {
        let file = try RecordFile(name: "records")
        try file.write([1], at: 0)
        let reader = open("/proc/self/fd/\(file.fd)", O_RDONLY | O_CLOEXEC)
        let copy = RecordFile(adopting: reader)
        #expect(throws: SystemdError("write the record file at file descriptor \(reader)", errno: EBADF)) {
            try copy.write([2], at: 0)
        }
        #expect(try copy.read(at: 0) == [1])
    }
}
