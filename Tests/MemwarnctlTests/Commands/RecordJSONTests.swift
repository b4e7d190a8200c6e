import MemwarnProtocol
import TestSupport
import Testing

@testable import memwarnctl

/// The JSON of `status`, `watch` and `simulate`, which scripts read.
struct RecordJSONTests {
    private func json(_ name: String) throws -> String {
        let hex = String(decoding: try Repository.read("Tests/Frames/version-1/\(name).hex"), as: UTF8.self)
        let frame = try [UInt8](hex: hex).withUnsafeBytes { try Frame(decoding: $0) }
        switch frame.message {
        case .scope(let record): return JSONOutput.text(record.json, onOneLine: false)
        case .host(let record): return JSONOutput.text(record.json, onOneLine: false)
        case .round(let record): return JSONOutput.text(record.json, onOneLine: false)
        case .commandRecord(let record): return JSONOutput.text(record.json, onOneLine: false)
        default:
            Issue.record("\(frame) is no record")
            return ""
        }
    }

    @Test("characters that control a terminal are escaped, but other letters are not")
    func escapes() throws {
        let text = "a\u{1b}\u{7f}\u{9f}\u{202e}\u{2028}\u{e0001}\"\\é😀"
        let expected = #""a\u001b\u007f\u009f\u202e\u2028\udb40\udc01\"\\é😀""#
        #expect(JSONOutput.text(text, onOneLine: true) == expected)
    }

    @Test("a scope's numbers are in bytes, seconds and percent") func scope() throws {
        let expected = """
            {
              "fullAveragePercent" : 3,
              "fullStallSeconds" : 98.765432,
              "highEvents" : 17,
              "hosts" : 4,
              "id" : 2,
              "level" : "critical",
              "limit" : {
                "bytes" : 268435456,
                "kind" : "memory.high",
                "path" : "/user.slice"
              },
              "maxEvents" : 1,
              "path" : "/user.slice",
              "reason" : {
                "percent" : 7,
                "source" : "full",
                "thresholdPercent" : 5
              },
              "rung" : "polling",
              "rungReason" : "no CAP_SYS_RESOURCE",
              "samplingSeconds" : 0.25,
              "secondsAtLevel" : 1.5,
              "someAveragePercent" : 12.5,
              "someStallSeconds" : 123.456789,
              "state" : "present",
              "suppressedEvents" : 5,
              "usedBytes" : 209715200,
              "windowSeconds" : 2
            }
            """
        #expect(try json("scope") == expected)
    }

    @Test("a host's numbers are in bytes, seconds and percent") func host() throws {
        let expected = """
            {
              "allocator" : "mimalloc",
              "answerSeconds" : 0.012345,
              "door" : "pressure socket",
              "id" : 7,
              "lastRound" : 42,
              "level" : "critical",
              "name" : "gallery",
              "outcome" : "late",
              "pid" : 4711,
              "priority" : 128,
              "releasableBytes" : 16777216,
              "releasedBytes" : 33554432,
              "residentAfterBytes" : 50331648,
              "residentBeforeBytes" : 83886080,
              "scope" : "/user.slice",
              "state" : "registered",
              "uid" : 1000
            }
            """
        #expect(try json("host") == expected)
    }

    @Test("a round's numbers are in bytes, seconds and percent") func round() throws {
        let expected = """
            {
              "ageSeconds" : 2.5,
              "answerWanted" : true,
              "answered" : 3,
              "bytesWanted" : 67108864,
              "durationSeconds" : 1.000321,
              "hosts" : 6,
              "id" : 42,
              "level" : "critical",
              "medianAnswerSeconds" : 0.0015,
              "reason" : {
                "limit" : {
                  "bytes" : 1099511627776,
                  "kind" : "memory.limit_in_bytes",
                  "path" : "/a.slice"
                },
                "percent" : 7.25,
                "source" : "full",
                "thresholdPercent" : 5
              },
              "releasedBytes" : 33554432,
              "repeated" : false,
              "residentFreedBytes" : 32505856,
              "scope" : "/",
              "silent" : 2,
              "simulated" : true,
              "slowestAnswerSeconds" : 0.09,
              "stage" : 2,
              "stages" : 3,
              "stallsAfterPercent" : 0.5,
              "stallsBeforePercent" : 43.2,
              "state" : "finished",
              "unacknowledged" : 4,
              "undeliverable" : 1,
              "usedAfterBytes" : 901775360,
              "usedBeforeBytes" : 943718400
            }
            """
        #expect(try json("round") == expected)
    }

    @Test("a command has its outcome") func command() throws {
        let expected = """
            {
              "answer" : "disk full",
              "id" : 7,
              "name" : "gallery",
              "outcome" : "failed",
              "pid" : 4711
            }
            """
        #expect(try json("command-record") == expected)
    }
}
