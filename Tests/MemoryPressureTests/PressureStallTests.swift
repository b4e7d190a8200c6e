import MemoryPressure
import Testing

struct PressureStallTests {
    private static let healthy = """
        some avg10=12.34 avg60=0.05 avg300=100.00 total=987654321
        full avg10=5.00 avg60=0.00 avg300=0.00 total=1234

        """

    private func parse(_ text: String) throws(PressureStall.ParseError) -> PressureStall {
        var bytes = Array(text.utf8)
        let result: Result<PressureStall, PressureStall.ParseError> = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(PressureStall.ParseError) in try PressureStall(parsing: UnsafeRawBufferPointer(buffer)) }
        }
        return try result.get()
    }

    @Test func readsBothLines() throws {
        let stall = try parse(Self.healthy)
        #expect(stall.some.average10 == .percent(12.34))
        #expect(stall.some.average60 == Share(basisPoints: 5))
        #expect(stall.some.average300 == .percent(100))
        #expect(stall.some.total == 987_654_321)
        #expect(stall.full?.total == 1234)
        #expect(stall.average10(.full) == .percent(5))
    }

    @Test func fullMayBeMissing() throws {
        let stall = try parse("some avg10=0.00 avg60=0.00 avg300=0.00 total=7\n")
        #expect(stall.full == nil)
        #expect(stall.total(.full) == 0)
    }

    @Test(
        "fields of later kernels are ignored",
        arguments: [
            "some avg10=0.00 avg60=0.00 avg300=0.00 avg900=0.00 total=7\n",
            "some avg10=0.00 avg60=0.00 avg300=0.00 total=7 unit=us\n",
            "some avg10=0.00 avg60=0.00 avg300=0.00 total=7\nirq avg10=1.00\n\n",
            "none\nsome avg10=0.000 avg60=0.00 avg300=0 total=7",
        ]
    )
    func toleratesGrowth(text: String) throws {
        #expect(try parse(text).some.total == 7)
    }

    @Test(
        arguments: [
            ("", .missingLine),
            ("full avg10=0.00 avg60=0.00 avg300=0.00 total=7", .missingLine),
            ("some", .missingField),
            ("some avg10=0.00 avg60=0.00 avg300=0.00", .missingField),
            ("some avg10=0.00 avg60=0.00 total=7", .missingField),
            ("some avg10=0.00 avg10=0.00 avg60=0.00 avg300=0.00 total=7", .duplicate),
            (
                "some avg10=0.00 avg60=0.00 avg300=0.00 total=7\nsome avg10=0.00 avg60=0.00 avg300=0.00 total=7",
                .duplicate
            ),
            (
                """
                some avg10=0.00 avg60=0.00 avg300=0.00 total=7
                full avg10=0.00 avg60=0.00 avg300=0.00 total=7
                full avg10=0.00 avg60=0.00 avg300=0.00 total=8
                """,
                .duplicate
            ),
            ("some avg10=0.00 avg60=0.00 avg300=0.00 total=", .badNumber),
            ("some avg10=0.00 avg60=0.00 avg300=0.00 total=-1", .badNumber),
            ("some avg10=0.00 avg60=0.00 avg300=0.00 total=18446744073709551616", .badNumber),
            ("some avg10=101.00 avg60=0.00 avg300=0.00 total=7", .badNumber),
            ("some avg10=0. avg60=0.00 avg300=0.00 total=7", .badNumber),
            ("some avg10=.5 avg60=0.00 avg300=0.00 total=7", .badNumber),
            ("some avg10=nan avg60=0.00 avg300=0.00 total=7", .badNumber),
        ] as [(String, PressureStall.ParseError)]
    )
    func refuses(text: String, expected: PressureStall.ParseError) {
        #expect(throws: expected) { try parse(text) }
    }

    @Test func readsTheRealFile() throws {
        let stall = try StallWatch(opening: KernelTree.live.hostPressure).read()
        #expect(stall.total(.some) >= stall.total(.full))
    }
}
