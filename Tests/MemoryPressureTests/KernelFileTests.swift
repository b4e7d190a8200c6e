import CLinux
import MemoryPressure
import TestSupport
import Testing

struct KernelFileTests {
    @Test("up to 16 KiB of a file are read, even if the kernel returns it in pieces")
    func whole() throws {
        let kernel = try FakeKernel(["/short": "abc", "/long": String(repeating: "x", count: 20_000), "/empty": ""])
        #expect(try KernelFile.whole(kernel.path("/short")) { Array($0) } == Array("abc".utf8))
        #expect(try KernelFile.whole(kernel.path("/empty")) { $0.count } == 0)
        #expect(try KernelFile.whole(kernel.path("/long")) { $0.count } == 16_384)
        // This file is longer than 16 KiB, and the kernel returns it a page at a time.
        let symbols = try KernelFile.text(of: "/proc/self/smaps")
        try #require(symbols.utf8.count > 16_384)
        #expect(try KernelFile.whole("/proc/self/smaps") { $0.count } == 16_384)
    }

    @Test func aMissingFileIsAnError() throws {
        let kernel = try FakeKernel([:])
        let error = #expect(throws: KernelError.self) { try KernelFile.whole(kernel.path("/a")) { $0.count } }
        #expect(error == KernelError("open", kernel.path("/a"), errno: ENOENT))
        let directory = #expect(throws: KernelError.self) { try KernelFile.whole(kernel.path("/")) { $0.count } }
        #expect(directory?.errno == EISDIR)
    }

    @Test(
        "a file has a single number, or the word max for no limit",
        arguments: [("0\n", 0), ("18446744073709551615\n", .max), ("12", 12), ("max\n", nil)] as [(String, UInt64?)]
    )
    func number(text: String, number: UInt64?) throws {
        let kernel = try FakeKernel(["/n": text])
        #expect(try KernelFile.number(in: kernel.path("/n")) == number)
    }

    @Test(arguments: ["", "\n", "-1\n", "1 2\n", "maximum\n", "18446744073709551616\n", "0x10\n"])
    func whatIsNoNumberIsAnError(text: String) throws {
        let kernel = try FakeKernel(["/n": text])
        let error = #expect(throws: KernelError.self) { try KernelFile.number(in: kernel.path("/n")) }
        #expect(error == KernelError("understand", kernel.path("/n"), errno: EBADMSG))
    }
}
