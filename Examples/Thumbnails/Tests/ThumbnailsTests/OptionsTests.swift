import Testing

@testable import thumbnails

struct OptionsTests {
    @Test("options are read, and their defaults match the usage text")
    func good() throws {
        let none = try ThumbnailsOptions([])
        #expect(none.port == 8080 && none.idleTime == .seconds(60) && !none.ignoresWarnings)
        let some = try ThumbnailsOptions(["make-originals", "--clients", "3", "--originals", "/o"])
        #expect(some.command == .makeOriginals && some.clients == 3 && some.originals == "/o")
        #expect(try ThumbnailsOptions(["--ignore-warnings", "--idle", "2"]).ignoresWarnings)
    }

    @Test("bad options fail", arguments: [["--port"], ["--port", "x"], ["--clients", "0"], ["--nothing", "1"]])
    func bad(arguments: [String]) {
        #expect(throws: UsageError.self) { try ThumbnailsOptions(arguments) }
    }
}
