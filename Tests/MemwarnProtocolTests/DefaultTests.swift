import MemwarnProtocol
import Testing

/// Messages whose fields are not set.
struct DefaultTests {
    /// Collects the fields that are neither 0 nor empty.
    private struct SetFields: FieldVisitor {
        var found: [String] = []

        mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
            _ value: inout Value,
            _ name: String,
            in unit: FieldUnit
        ) throws(FrameError) {
            if value != 0 { found.append("\(name) \(value)") }
        }

        mutating func text(_ text: inout String, _ name: String, within limit: ClosedRange<Int>) throws(FrameError) {
            if !text.isEmpty { found.append("\(name) \(text)") }
        }
    }

    private static func fields(of body: some FrameBody) throws -> [String] {
        var body = body
        var fields = SetFields()
        try body.visit(&fields)
        return fields.found
    }

    @Test("a field that is not set is 0 or empty on the wire, except those that have another default")
    func unset() throws {
        let bodies: [any FrameBody] = [
            Acknowledgement(), CommandRecord(), CommandReply(), CommandRequest(), CountersRecord(), DaemonRecord(),
            End(), Hello(),
            HostRecord(), Missed(), Query(), Refusal(), RoundRecord(), ScopeRecord(), Send(), Simulate(), Warning(),
            Welcome(),
        ]
        let expected = [
            "Hello": ["priority 128"], "Refusal": ["code 1"], "RoundRecord": ["stages 1", "stage 1"],
            "Send": ["target 2"],
        ]
        for body in bodies {
            let name = "\(type(of: body))"
            let fields = try Self.fields(of: body)
            #expect(fields == expected[name] ?? [], "\(name)")
        }
    }
}
