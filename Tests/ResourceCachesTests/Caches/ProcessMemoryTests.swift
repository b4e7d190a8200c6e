import Testing

@testable import ResourceCaches

struct ProcessMemoryTests {
    @Test(
        "the second number of a statm line counts, and an invalid line counts 0",
        arguments: [
            ("16386 1024 512 10 0 2048 0\n", 1024),
            ("16386 1024", 1024),
            ("16386", 0),
            ("", 0),
            ("a b c", 0),
        ] as [(String, UInt64)]
    )
    func statm(line: String, pages: UInt64) {
        #expect(ResidentSetFile.pages(statm: line.utf8) == pages)
    }

    @Test("a file that stays open has the present values at each reading")
    func fileStaysOpen() {
        let file = ResidentSetFile()
        let before = file.bytes
        let block = [UInt8](repeating: 1, count: 64 << 20)
        let after = file.bytes
        #expect(after >= before + (32 << 20))
        withExtendedLifetime(block) {}
    }

    @Test("this process has a resident set of whole pages")
    func resident() {
        #expect(ProcessMemory.residentBytes() > 1 << 20)
        #expect(ProcessMemory.residentBytes() % 4096 == 0)
    }
}
