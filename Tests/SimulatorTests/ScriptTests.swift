import SimulatorKit
import Testing

@Suite struct ScriptTests {
    private func play(_ lines: String...) throws -> [String] {
        // Without the times.
        Simulation.play(try Script(lines)).map { String($0.drop { $0 != " " }.dropFirst()) }
    }

    @Test func `what cannot be made room for is counted before a program is killed`() throws {
        let seen = try play("0 cgroup /a max=64", "0 cgroup /a/b", "1 grow hog /a/b 96 8", "12 end")
        let events = seen.filter { $0.hasPrefix("events /a ") }
        let kill = try #require(events.last)
        #expect(kill.hasSuffix("oom=1 oom_kill=1"))
        #expect(!kill.contains("max=0 "))
        #expect(seen.contains("killed hog"))
    }

    @Test func `a kill is counted in all cgroups above`() throws {
        let seen = try play("0 cgroup /a max=128", "0 cgroup /a/b max=64", "1 grow hog /a/b 96 8", "12 end")
        #expect(seen.contains { $0.hasPrefix("events /a ") && $0.hasSuffix("oom=1 oom_kill=1") })
    }

    @Test func `stalls that begin with nothing are counted`() throws {
        let seen = try play("0 cgroup /a max=64", "1 read reader /a 48 48", "2 grow leak /a 48 4", "10 end")
        let last = try #require(seen.last { $0.hasPrefix("sample /a ") })
        #expect(!last.contains("some=0 "))
    }

    @Test func `what is over memory.high and takes no more does not stall`() throws {
        let seen = try play("0 cgroup /a", "1 grow hog /a 64 64", "3 limit /a high=48", "8 end")
        #expect(!seen.contains { $0.hasPrefix("events") })
        #expect(seen.last { $0.hasPrefix("sample") } == "sample /a some=0 full=0 left=0.0")
    }

    @Test func `files that are read again and again leave room, as usage is counted`() throws {
        let seen = try play("0 cgroup /a max=64", "1 read reader /a 96 48", "10 end")
        #expect(seen.last { $0.hasPrefix("sample") }?.hasSuffix("left=50.0") == true)
    }

    @Test func `a removed cgroup ends its triggers`() throws {
        let seen = try play("0 cgroup /a", "0 arm some /a some 50000 500000", "1 remove /a", "2 end")
        #expect(seen.contains("dead some"))
    }

    @Test func `a line that cannot be understood is refused`() {
        #expect(throws: Script.Fault.self) { try Script(["0 cgroup a"]) }
        #expect(throws: Script.Fault.self) { try Script(["0 cgroup /a", "1 grow hog /b 96 8"]) }
    }
}
