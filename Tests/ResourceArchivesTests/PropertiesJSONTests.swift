import ResourceArchives
import ResourceManager
import TestSupport
import Testing

struct PropertiesJSONTests {
    static let rich = Properties([
        "z": .null, "a": .bool(true), "b": .bool(false), "int": .integer(.min), "one": .number(1),
        "small": .number(.leastNonzeroMagnitude), "large": .number(.greatestFiniteMagnitude), "third": .number(1 / 3),
        "text": .string("é\"\\\n\r\t\u{0}\u{1f}\u{7f}\u{2028}😀"), "empty": .object(Properties()),
        "list": .array([.integer(1), .array([]), .object(Properties(["": .string("")]))]),
    ])

    @Test("written properties are read back exactly")
    func roundTrip() throws {
        #expect(try Properties(json: Self.rich.json(), file: "state") == Self.rich)
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<2_000 {
            let number = Double(bitPattern: generator.next())
            guard number.isFinite else { continue }
            let properties = Properties(["number": .number(number)])
            let again: Double? = try Properties(json: properties.json(), file: "state")["number"]
            #expect(again?.bitPattern == number.bitPattern)
        }
    }

    @Test func namesAreSortedSoThatEqualPropertiesAreEqualText() throws {
        let properties = Properties(["b": .integer(1), "a": .array([.number(0.1), .string("\u{1}\n")]), "ä": .null])
        #expect(String(decoding: try properties.json(), as: UTF8.self) == #"{"a":[0.1,"\u0001\n"],"b":1,"ä":null}"#)
    }

    @Test("a number that JSON cannot represent is not written", arguments: [.nan, .infinity, -.infinity] as [Double])
    func notFinite(number: Double) {
        let properties = Properties(["a": .array([.null, .object(Properties(["b": .number(number)]))])])
        let error = #expect(throws: PropertyEncodingError.self) { try properties.json() }
        #expect(error?.description == "cannot write a.1.b as JSON: \(number) is no number there; leave it out")
    }

    @Test("properties that could not be read back are not written")
    func depth() throws {
        func nested(_ depth: Int) -> Properties {
            var properties = Properties()
            for _ in 1..<depth { properties = Properties(["a": .object(properties)]) }
            return properties
        }
        #expect(try Properties(json: nested(256).json(), file: "state") == nested(256))
        #expect(throws: PropertyEncodingError.self) { try nested(257).json() }
    }

    @Test func aTextThatIsNotAnObjectIsRefused() {
        let error = #expect(throws: ArchiveError.self) { try Properties(json: Array("\n [1]".utf8), file: "state") }
        #expect(error?.description == "state:2:2: expected an object, found a list")
    }
}
