import CLinux
import MemoryPressure
import TestSupport
import Testing

@testable import memwarnctl

struct MetricsFileTests {
    static func contents(_ directory: String) throws -> Set<String> {
        let stream = try #require(opendir(directory), "errno \(errno)")
        defer { closedir(stream) }
        var names: Set<String> = []
        while let entry = readdir(stream) {
            names.insert(
                withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            )
        }
        return names.subtracting([".", ".."])
    }

    @Test func aFileIsReplacedAndNoOtherFileIsLeft() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/memwarnd.prom"
        try MetricsFile.write("one\n", to: path)
        // The temporary file of a killed process that had the same pid.
        try directory.write("half", to: ".memwarnd.prom.\(getpid())")
        try MetricsFile.write("two\n", to: path)
        #expect(try KernelFile.text(of: path) == "two\n")
        #expect(try Self.contents(directory.path) == ["memwarnd.prom"])
    }

    @Test func aDirectoryWithTheNameIsKept() throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("memwarnd.prom/full")
        let path = directory.path + "/memwarnd.prom"
        #expect(throws: KernelError("write", path, errno: EISDIR)) { try MetricsFile.write("text\n", to: path) }
        #expect(try Self.contents(directory.path) == ["memwarnd.prom"])
    }

    @Test("a pipe and a link with the name stay: as root the path may be that of a device")
    func otherFiles() throws {
        let directory = try TemporaryDirectory()
        try #require(mkfifo(directory.path + "/pipe", 0o600) == 0 && symlink("pipe", directory.path + "/link") == 0)
        for path in ["pipe", "link"].map({ "\(directory.path)/\($0)" }) {
            #expect(throws: KernelError("take for a regular file", path, errno: EINVAL)) {
                try MetricsFile.write("text\n", to: path)
            }
        }
        var status = stat()
        #expect(stat(directory.path + "/link", &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        #expect(try Self.contents(directory.path) == ["link", "pipe"])
    }

    @Test(
        "a full disk leaves the old file unchanged",
        .enabled(if: SmallDisk.canBeMade, "a small disk cannot be mounted here (CAP_SYS_ADMIN)")
    )
    func diskFull() throws {
        let disk = try SmallDisk(bytes: 16 << 10)
        let path = disk.path + "/memwarnd.prom"
        try MetricsFile.write("old\n", to: path)
        let temporary = "\(disk.path)/.memwarnd.prom.\(getpid())"
        #expect(throws: KernelError("write", temporary, errno: ENOSPC)) {
            try MetricsFile.write(String(repeating: "x", count: 64 << 10), to: path)
        }
        #expect(try KernelFile.text(of: path) == "old\n")
        #expect(try Self.contents(disk.path) == ["memwarnd.prom"])
    }
}

/// A small file system in memory that is soon full; it is unmounted when the test releases it.
final class SmallDisk {
    let path: String
    private let directory: TemporaryDirectory

    init(bytes: Int) throws {
        directory = try TemporaryDirectory()
        path = directory.path
        try #require(mount("none", path, "tmpfs", 0, "size=\(bytes)") == 0, "mount: errno \(errno)")
    }

    deinit {
        umount(path)
    }

    static let canBeMade = (try? SmallDisk(bytes: 4096)) != nil
}
