import MemoryPressure
import Testing

@testable import memwarnctl

struct CourseTests {
    @Test("steps follow one another, each held for its time")
    func instants() throws {
        let course = try Course(parsing: "warning:2s,critical:500ms,normal")
        #expect(course.steps.map(\.level) == [.warning, .critical, .normal])
        #expect(course.steps.map(\.start) == [.zero, .seconds(2), .milliseconds(2_500)])
        #expect(course.steps.map(\.hold) == [.seconds(2), .milliseconds(500), .zero])
        #expect(course.duration == .milliseconds(2_500))
    }

    @Test("an unchanged level is a repetition, except normal")
    func repetitions() throws {
        let course = try Course(parsing: "normal,warning,warning,critical,critical,warning,normal,normal")
        #expect(course.steps.map(\.isRepeat) == [false, false, true, false, true, false, false, false])
    }

    @Test("a repeated course continues from its end")
    func repeated() throws {
        let course = try Course(parsing: "warning:1s,normal:1s").repeated(2)
        #expect(course.steps.map(\.level) == [.warning, .normal, .warning, .normal])
        #expect(course.steps.last?.start == .seconds(3))
        #expect(try Course(parsing: "warning").repeated(2).steps.map(\.isRepeat) == [false, true])
    }

    @Test("the storm rises, lasts and ends, and the flap rises and falls repeatedly", arguments: ["storm", "flap"])
    func named(name: String) throws {
        let course = try Course(parsing: name)
        #expect(course.steps.first?.level == .warning)
        #expect(course.steps.last?.level == .normal)
        #expect(course.steps.contains { $0.isRepeat } == (name == "storm"))
        #expect(course.steps.contains { $0.level == .critical } == (name == "storm"))
        #expect(course.duration <= .seconds(10))
    }

    @Test(
        "an invalid course is reported with its step",
        arguments: [
            ("", "step 1, “”: no level; say normal, warning or critical, or flap or storm alone"),
            ("strom", "step 1, “strom”: no level; say normal, warning or critical, or flap or storm alone"),
            ("warning,", "step 2, “”: no level; say normal, warning or critical"),
            ("warning:1s,high:2s", "step 2, “high:2s”: no level; say normal, warning or critical"),
            ("warning:2", "step 1, “warning:2”: no time; say how long, such as 500ms or 2s"),
            ("normal,warning:", "step 2, “warning:”: no time; say how long, such as 500ms or 2s"),
            ("warning:1s:2s", "step 1, “warning:1s:2s”: no time; say how long, such as 500ms or 2s"),
        ]
    )
    func errors(text: String, message: String) {
        #expect(throws: CourseError(message)) { try Course(parsing: text) }
    }

    @Test func aCourseHasAnEnd() {
        let text = Array(repeating: "normal", count: Course.limit + 1).joined(separator: ",")
        #expect(throws: CourseError("more than 10000 steps")) { try Course(parsing: text) }
    }
}

struct QuantitiesTests {
    @Test(
        "bytes have binary units",
        arguments: [
            ("0", 0), ("4096", 4_096), ("512b", 512), ("3k", 3_072), ("64M", 64 << 20), ("64MiB", 64 << 20),
            ("1GiB", 1 << 30), ("2t", 2 << 40),
        ] as [(String, UInt64)]
    )
    func bytes(text: String, bytes: UInt64) throws {
        #expect(try Quantities.bytes(text) == bytes)
    }

    @Test(arguments: ["", "M", "-1", "1.5M", "64MB", "64 M", "16777216T", "99999999999999999999"])
    func whatIsNoNumberOfBytesIsRefused(text: String) {
        #expect(throws: (any Error).self) { try Quantities.bytes(text) }
    }

    @Test("a delay may be 0", arguments: [("0", 0), ("0s", 0), ("0ms", 0), ("2s", 2_000)])
    func delays(text: String, milliseconds: Int) throws {
        #expect(try Quantities.delay(text) == .milliseconds(milliseconds))
        #expect(throws: (any Error).self) { try Quantities.delay("-1s") }
    }

    @Test("a deadline without a unit is in milliseconds", arguments: [("250", 250), ("500ms", 500), ("2s", 2_000)])
    func milliseconds(text: String, milliseconds: UInt32) throws {
        #expect(try Quantities.milliseconds(text) == milliseconds)
        #expect(throws: (any Error).self) { try Quantities.milliseconds("soon") }
    }
}
