import Testing

@testable import ResourceCaches

struct ProcessMemoryTests {
    @Test(
        "the second number of a statm line counts, and a strange line counts nothing",
        arguments: [
            ("16386 1024 512 10 0 2048 0\n", 1024),
            ("16386 1024", 1024),
            ("16386", 0),
            ("", 0),
            ("a b c", 0),
        ] as [(String, UInt64)]
    )
    func statm(line: String, pages: UInt64) {
        #expect(ProcessMemory.residentPages(statm: line.utf8) == pages)
    }

    @Test("this process has a resident set of whole pages")
    func resident() {
        #expect(ProcessMemory.residentBytes() > 1 << 20)
        #expect(ProcessMemory.residentBytes() % 4096 == 0)
    }
}
