import CLinux
import TestSupport
import Testing

@testable import MemoryPressure

/// Kernel files that stay open between readings.
struct OpenFilesTests {
    @Test("a file is opened once, and read again each time")
    func opensOnce() throws {
        let kernel = try FakeKernel(["/a": "1\n", "/b": "text"])
        let files = OpenFiles()
        #expect(try files.number(in: kernel.path("/a")) == 1)
        try kernel.set("/a", "max\n")
        #expect(try files.number(in: kernel.path("/a")) == nil)
        #expect(try files.whole(kernel.path("/b")) { $0.count } == 4)
        #expect(files.count == 2)
        unlink(kernel.path("/a"))
        #expect(try files.number(in: kernel.path("/a")) == nil, "it is open")
    }

    @Test("a file that cannot be read any more is opened again, in case another one has its name")
    func opensAgain() throws {
        let kernel = try FakeKernel(["/a": "1\n"])
        let files = OpenFiles()
        _ = try files.number(in: kernel.path("/a"))
        // As in the kernel, an open file of a removed cgroup can no longer be read.
        truncate(kernel.path("/a"), 0)
        unlink(kernel.path("/a"))
        #expect(throws: KernelError("open", kernel.path("/a"), errno: ENOENT)) {
            try files.number(in: kernel.path("/a"))
        }
        #expect(files.count == 0)
        try kernel.set("/a", "2\n")
        #expect(try files.number(in: kernel.path("/a")) == 2)
        truncate(kernel.path("/a"), 0)
        unlink(kernel.path("/a"))
        try kernel.set("/a", "3\n")
        #expect(try files.number(in: kernel.path("/a")) == 3)
        #expect(files.count == 1)
    }

    @Test("of too many files, the one that was used least recently is closed")
    func limit() throws {
        let kernel = try FakeKernel(["/a": "1\n", "/b": "2\n", "/c": "3\n"])
        let files = OpenFiles(limit: 2)
        for name in ["/a", "/b", "/a", "/c"] { _ = try files.number(in: kernel.path(name)) }
        #expect(files.count == 2)
        // Only an open file can still be read.
        for name in ["/a", "/b", "/c"] { unlink(kernel.path(name)) }
        #expect(try files.number(in: kernel.path("/a")) == 1)
        #expect(try files.number(in: kernel.path("/c")) == 3)
        #expect(throws: KernelError.self) { try files.number(in: kernel.path("/b")) }
    }

    @Test("without a free descriptor a kept file gives up its own, and a missing file is known to be missing")
    func shortage() throws {
        let kernel = try FakeKernel(["/a": "1\n", "/b": "2\n"])
        let files = OpenFiles()
        // The kernel gives out the lowest free number, so the file gets this one.
        let lowest = dup(0)
        close(lowest)
        _ = try files.number(in: kernel.path("/a"))
        let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        getrlimit(descriptors, &limit)
        var none = rlimit(rlim_cur: rlim_t(lowest + 1), rlim_max: limit.rlim_max)
        setrlimit(descriptors, &none)
        let missing = Result { try files.number(in: kernel.path("/c")) }
        let other = Result { try files.number(in: kernel.path("/b")) }
        files.close(below: kernel.path(""))
        let taken = dup(0)
        let nothing = Result { try files.number(in: kernel.path("/a")) }
        setrlimit(descriptors, &limit)
        close(taken)
        #expect(throws: KernelError("open", kernel.path("/c"), errno: ENOENT)) { try missing.get() }
        #expect(try other.get() == 2)
        #expect(throws: KernelError("open", kernel.path("/a"), errno: EMFILE)) { try nothing.get() }
    }

    @Test("files that another thread has opened are taken over, each once")
    func takingOver() throws {
        let kernel = try FakeKernel(["/a": "1\n", "/b": "2\n"])
        let (files, others) = (OpenFiles(), OpenFiles())
        _ = try files.number(in: kernel.path("/a"))
        for name in ["/a", "/b"] { _ = try others.number(in: kernel.path(name)) }
        files.take(from: others)
        #expect(files.count == 2 && others.count == 0)
        for name in ["/a", "/b"] { unlink(kernel.path(name)) }
        #expect(try files.number(in: kernel.path("/a")) == 1)
        #expect(try files.number(in: kernel.path("/b")) == 2)
    }

    @Test("the files of a directory are closed, and those beside it stay open")
    func closing() throws {
        let kernel = try FakeKernel(["/a/n": "1\n", "/a/b/n": "2\n", "/ab/n": "3\n"])
        let files = OpenFiles()
        for name in ["/a/n", "/a/b/n", "/ab/n"] { _ = try files.number(in: kernel.path(name)) }
        files.close(below: kernel.path("/a"))
        #expect(files.count == 1)
    }

    @Test(
        "a cgroup that is removed and made again has its new files read",
        .enabled(if: RealCgroup.missing == nil, "\(RealCgroup.missing ?? "")")
    )
    func realCgroup() throws {
        let cgroup = try RealCgroup("open-files")
        let file = cgroup.directory + "/child/cgroup.max.depth"
        let files = OpenFiles()
        for depth in [7, 9] as [UInt64] {
            try #require(mkdir(cgroup.directory + "/child", 0o755) == 0)
            defer { rmdir(cgroup.directory + "/child") }
            let descriptor = open(file, O_WRONLY | O_CLOEXEC)
            let text = "\(depth)"
            try #require(write(descriptor, text, text.utf8.count) == text.utf8.count)
            close(descriptor)
            #expect(try files.number(in: file) == depth)
        }
        #expect(throws: KernelError("open", file, errno: ENOENT)) { try files.number(in: file) }
    }

    @Test("up to 16 KiB of a file are read, even if the kernel returns it in pieces")
    func whole() throws {
        let kernel = try FakeKernel(["/short": "abc", "/long": String(repeating: "x", count: 20_000), "/empty": ""])
        #expect(try OpenFiles().whole(kernel.path("/short")) { Array($0) } == Array("abc".utf8))
        #expect(try OpenFiles().whole(kernel.path("/empty")) { $0.count } == 0)
        #expect(try OpenFiles().whole(kernel.path("/long")) { $0.count } == 16_384)
        // This file is longer than 16 KiB, and the kernel returns it a page at a time.
        let symbols = try KernelFile.text(of: "/proc/self/smaps")
        try #require(symbols.utf8.count > 16_384)
        #expect(try OpenFiles().whole("/proc/self/smaps") { $0.count } == 16_384)
    }

    @Test func aMissingFileIsAnError() throws {
        let kernel = try FakeKernel([:])
        let error = #expect(throws: KernelError.self) { try OpenFiles().whole(kernel.path("/a")) { $0.count } }
        #expect(error == KernelError("open", kernel.path("/a"), errno: ENOENT))
        let directory = #expect(throws: KernelError.self) { try OpenFiles().whole(kernel.path("/")) { $0.count } }
        #expect(directory?.errno == EISDIR)
    }

    @Test(
        "a file has a single number, or the word max for no limit",
        arguments: [("0\n", 0), ("18446744073709551615\n", .max), ("12", 12), ("max\n", nil)] as [(String, UInt64?)]
    )
    func number(text: String, number: UInt64?) throws {
        let kernel = try FakeKernel(["/n": text])
        #expect(try OpenFiles().number(in: kernel.path("/n")) == number)
    }

    @Test(arguments: ["", "\n", "-1\n", "1 2\n", "maximum\n", "18446744073709551616\n", "0x10\n"])
    func whatIsNoNumberIsAnError(text: String) throws {
        let kernel = try FakeKernel(["/n": text])
        let error = #expect(throws: KernelError.self) { try OpenFiles().number(in: kernel.path("/n")) }
        #expect(error == KernelError("understand", kernel.path("/n"), errno: EBADMSG))
    }
}
