import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

@testable import memwarnd

struct RehearsalTests {
    @Test("a rehearsal runs a critical round with one host that answers, and leaves no descriptor behind")
    func round() throws {
        let before = Self.descriptors
        let round = try #require(Rehearsal.run())
        #expect(round.level == .critical)
        #expect(round.scope == "/")
        #expect(round.answered == 1)
        #expect(round.state == .finished)
        #expect(Self.descriptors == before)
    }

    @Test("if nothing can be watched there is no rehearsal")
    func nothing() throws {
        let kernel = try FakeKernel([:])
        #expect(Rehearsal.run(kernel.tree) == nil)
    }

    private static var descriptors: Int {
        (0..<1_024).count { fcntl($0, F_GETFD) >= 0 }
    }
}
