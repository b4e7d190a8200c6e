import Foundation
import MemoryPressure
import MemwarnProgram
import MemwarnProtocol
import MemwarnSettings
import TestSupport
import Testing

@testable import memwarnctl

/// Checks that `docs/JSON.md` names exactly the fields that commands print.
struct JSONTablesTests {
    /// The fields of each table, by the heading above it.
    private static func tables() throws -> [String: Set<String>] {
        var tables: [String: Set<String>] = [:]
        var heading = ""
        for line in String(decoding: try Repository.read("docs/JSON.md"), as: UTF8.self).split(separator: "\n") {
            if line.hasPrefix("#") {
                heading = String(line.drop { $0 == "#" || $0 == " " })
            } else if line.hasPrefix("| `") {
                // The first cell has names in code format, separated by commas.
                let names = line.split(separator: "|")[0].split { " ,`".contains($0) }.map(String.init)
                tables[heading, default: []].formUnion(names)
            }
        }
        return tables
    }

    private static func message(_ name: String) throws -> Message {
        let hex = String(decoding: try Repository.read("Tests/Frames/version-1/\(name).hex"), as: UTF8.self)
        return try [UInt8](hex: hex).withUnsafeBytes { try Frame(decoding: $0) }.message
    }

    private static func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private static func object(_ value: some Encodable) throws -> [String: Any] {
        try object(JSONOutput.text(value, onOneLine: true))
    }

    /// An object of each kind with all of its fields, by the heading of its table.
    private static func objects() throws -> [String: [String: Any]] {
        guard case .daemon(let daemon) = try message("daemon"), case .scope(let scope) = try message("scope"),
            case .host(let host) = try message("host"), case .round(let round) = try message("round"),
            case .commandRecord(let outcome) = try message("command-record"),
            let event = WatchEvent(.round(round))
        else { throw UnexpectedFrame() }
        let step = StepResult(step: Course([(.warning, .zero)]).steps[0], began: .zero, round: round, hosts: [host])
        let report = SimulationReport(
            steps: [step],
            expected: ExpectedBytes(released: 1, residentFreed: 1),
            failure: .software("")
        )
        let key = ConfigurationEntry.Key(key: "", value: .flag(true), file: "", line: 1)
        let finding = Finding.bad("", "", "")
        var objects = [
            "status": try object(DaemonSnapshot(daemon: daemon).json),
            "watch": try object(event.json),
            "simulate": try object(report),
            "simulate with --no-wait": try object(SentReport(round)),
            "simulate with --apply": try object(ApplyReport("", 1, .seconds(1), from: nil, to: nil)),
            "send": try object(CommandAnswers()),
            "An outcome": try object(outcome.json),
            "doctor": try object(Diagnosis(DiagnosisTests.ideal())),
            "A finding": try object(finding),
            "config show": try object(ConfigurationEntry(ConfigurationReading())),
            "A key": try object(key),
            "A scope": try object(scope.json),
            "A host": try object(host.json),
            "A round": try object(round.json),
        ]
        objects["A step"] = try #require((objects["simulate"]?["steps"] as? [[String: Any]])?.first)
        objects["A reason"] = try #require(objects["A round"]?["reason"] as? [String: Any])
        objects["A limit"] = try #require(objects["A scope"]?["limit"] as? [String: Any])
        return objects
    }

    private struct UnexpectedFrame: Error {}

    @Test("the fields of each object that a command prints are in a table, and no table has other fields")
    func fields() throws {
        let (tables, objects) = (try Self.tables(), try Self.objects())
        #expect(Set(tables.keys) == Set(objects.keys))
        for (heading, object) in objects {
            #expect(tables[heading] == Set(object.keys), "\(heading)")
        }
    }
}
