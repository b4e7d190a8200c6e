import MemoryPressure
import Testing

struct MemoryAvailabilityTests {
    private static func parse(_ text: String) -> MemoryAvailability? {
        Array(text.utf8).withUnsafeBytes { MemoryAvailability(parsing: $0) }
    }

    @Test func readsTheTwoLines() {
        let text = "MemTotal:       1000 kB\nMemFree:  1 kB\nMemAvailable:    250 kB\nHugePages_Total:  0\n"
        let figures = Self.parse(text)
        #expect(figures == MemoryAvailability(total: 1_024_000, available: 256_000))
        #expect(figures?.headroom == .percent(25))
    }

    @Test(arguments: [
        "", "MemTotal: 1 kB\n", "MemTotal: x kB\nMemAvailable: 1 kB\n",
        "MemTotal: 99999999999999999999 kB\nMemAvailable: 1 kB\n", "MemTotal: 1 MB\nMemAvailable: 1 kB\n",
        "MemTotal: 18446744073709551615 kB\nMemAvailable: 1 kB\n", "MemTotal: 1 kB\nMemAvailable: 1 kB",
    ])
    func isNilWhereALineIsMissingOrNoNumber(text: String) {
        #expect(Self.parse(text) == nil)
    }

    @Test func readsTheRealFile() throws {
        let figures = try MemoryAvailability.read()
        #expect(figures.total > figures.available)
        #expect(figures.available > 0)
    }
}
