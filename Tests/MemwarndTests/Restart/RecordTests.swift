import MemoryPressure
import MemwarnProtocol
import Testing
import WarningPolicy

@testable import memwarnd

/// The records that the daemon keeps across a restart, as bytes.
struct RecordTests {
    static let state = DaemonState(
        lastHost: 4,
        levels: ["/": .warning, "/system.slice/a b.service": .critical]
    )
    static let registration = HostRegistration(
        id: 12,
        door: .pressure,
        hello: Hello(priority: 3, releasable: 1 << 40, name: "größer", accepts: .commands)
    )

    @Test func aWrittenStateIsReadBack() {
        #expect(DaemonState(decoding: Self.state.encoded) == Self.state)
        #expect(DaemonState(decoding: DaemonState().encoded) == DaemonState())
    }

    @Test(
        "an invalid text is not a state",
        arguments: [
            "", "memwarnd state 2", "memwarnd state 2\n", "memwarnd state 2\n-1", "memwarnd state 3\n1",
            "memwarnd state 2\n9223372036854775808", "memwarnd state 1", "memwarnd state 1\n1",
            "memwarnd state 1\n1\n9223372036854775808", "memwarnd state 1\n1\n1\n",
            "memwarnd state 2\n1\n", "memwarnd state 2\n1\ndire /a", "memwarnd state 2\n1\ncritical",
        ]
    )
    func noState(_ text: String) {
        #expect(DaemonState(decoding: Array(text.utf8)) == nil)
    }

    @Test func aStateThatIsNotTextIsInvalid() {
        #expect(DaemonState(decoding: DaemonState().encoded + [0xff]) == nil)
    }

    @Test func aWrittenRegistrationIsReadBack() {
        #expect(HostRegistration(decoding: Self.registration.encoded) == Self.registration)
        #expect(Self.registration.name == "host-12")
    }

    @Test("a truncated registration is invalid")
    func cutRegistration() {
        let bytes = Self.registration.encoded
        for count in bytes.indices { #expect(HostRegistration(decoding: Array(bytes.prefix(count))) == nil) }
    }

    @Test("a number that no host can have is invalid, as is the last one", arguments: [0, 1 << 63, UInt64.max])
    func numbers(_ id: UInt64) {
        var registration = Self.registration
        registration.id = id
        #expect(HostRegistration(decoding: registration.encoded) == nil)
    }

    @Test("an unknown door, or a message other than a hello, is not a registration")
    func others() throws {
        let frame = try Frame(sequence: 1, message: .subscribe).encoded()
        #expect(HostRegistration(decoding: [0] + frame) == nil)
        #expect(HostRegistration(decoding: [9] + Self.registration.encoded.dropFirst()) == nil)
    }

    @Test("the record of a scope has the totals and averages of its stalls")
    func stalls() {
        let stalls = PressureStall(
            some: PressureStall.Line(average10: .percent(12.5), total: 70),
            full: PressureStall.Line(average10: .percent(3), total: 20)
        )
        let scope = WarningPolicy(Settings(), seed: 1).scopes[0]
        let record = scope.record(ScopeLook(at: .now, stalls: stalls))
        #expect(record.someAverage == .percent(12.5) && record.fullAverage == .percent(3))
        #expect((record.someTotal, record.fullTotal) == (70, 20))
    }
}
