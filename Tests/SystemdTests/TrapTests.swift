import CLinux
import Testing

struct TrapTests {
    @Test("a trap writes its reason and place to standard error, and aborts")
    func trapped() async throws {
        let result = try await #require(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
            trap("two and two is \(2 + 3)")
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        let lines = text.split(separator: "\n").drop { !$0.hasPrefix("memwarnd: ") }
        #expect(lines.first == "memwarnd: internal error: two and two is 5")
        // The calls of Swift's own functions and of the test runner follow.
        let calls = lines.dropFirst().prefix { $0.hasPrefix("memwarnd: called from ") }
        #expect(!calls.isEmpty)
        #expect(calls.allSatisfy { $0.contains("+0x") })
    }

    @Test("traps of the Swift language also have a text")
    func found() async throws {
        let result = try await #require(processExitsWith: .signal(SIGABRT), observing: [\.standardErrorContent]) {
            clinux_trap_of_swift()
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("memwarnd: internal error: a value is out of its bounds"))
        #expect(text.contains("memwarnd: called from "))
    }
}
