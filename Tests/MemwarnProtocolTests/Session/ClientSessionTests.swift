import MemoryPressure
import Testing

@testable import MemwarnProtocol

struct ClientSessionTests {
    @Test("a session behaves as the table specifies", arguments: SessionCase.all)
    func table(_ table: SessionCase) throws {
        var run = try SessionRun(table.given)
        for step in table.steps {
            #expect(try run.feed(step.line) == step.effects, "\(table.name), at: \(step.line)")
            if let deadline = step.deadline { #expect(run.deadline == deadline, "\(table.name), after: \(step.line)") }
        }
    }

    @Test("the table can be read, and has a case for each name")
    func names() throws {
        #expect(SessionCase.all.count >= 60)
        #expect(Set(SessionCase.all.map(\.name)).count == SessionCase.all.count)
    }

    @Test("a session is small enough to have thousands of them")
    func size() {
        #expect(MemoryLayout<ClientSession>.size <= 512)
    }

    @Test("sessions with different seeds reconnect at different times, spread over the whole range")
    func spread() {
        let first = (0..<1000).map { seed in
            var backoff = Backoff(seed: UInt64(seed))
            return backoff.next()
        }
        #expect(Set(first).count > 990)
        for tenth in 0..<10 {
            let range = Duration.milliseconds(50 * tenth)..<Duration.milliseconds(50 * tenth + 50)
            #expect((70...130).contains(first.count { range.contains($0) }))
        }
    }

    @Test("delays stay just below their bound, which doubles from half a second to half a minute")
    func bounds() {
        var longest = [Duration](repeating: .zero, count: 9)
        for seed in 0..<500 {
            var backoff = Backoff(seed: UInt64(seed))
            for index in longest.indices { longest[index] = max(longest[index], backoff.next()) }
        }
        for (wait, bound) in zip(longest, [0.5, 1, 2, 4, 8, 16, 30, 30, 30]) {
            #expect(wait <= .seconds(bound))
            #expect(wait > .seconds(bound * 0.9))
        }
    }
}
