import TestSupport
import Testing
import WarningPolicy

@testable import MemwarnSettings

struct ShippedConfigurationTests {
    /// packaging/memwarnd.toml.
    private static func text() throws -> String {
        try PackagingFile.text("memwarnd.toml")
    }

    /// The file with each `#key = value` uncommented.
    private static func uncommented() throws -> String {
        try text().split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let isKey = line.first == "#" && line.dropFirst().first.map { $0 != " " } ?? false
            return isKey ? line.dropFirst() : line
        }.joined(separator: "\n")
    }

    @Test("unchanged, it sets nothing")
    func asShipped() throws {
        #expect(try ConfigurationTests.parse(try Self.text()) == Settings())
    }

    @Test("it has every key, each with its default")
    func everyKey() throws {
        var reading = ConfigurationReading()
        reading.parse(try Self.uncommented(), from: "memwarnd.toml")
        reading.conclude()
        #expect(reading.problems == [])
        for key in ConfigurationKey.all {
            #expect(reading.origin(of: key) != nil, "\(key.path) is missing")
            // A key without a single default has the value for root and the service.
            if key.unset == nil {
                #expect(key.write(reading.configuration) == key.write(Settings()), "\(key.path)")
            }
        }
        var configuration = reading.configuration
        #expect(configuration.socket == "/run/memwarnd/memwarnd.sock")
        #expect(configuration.pressureSocket == .path("/run/memwarnd/pressure.sock"))
        #expect(configuration.peersPerUser == PeerQuotas(total: 65_536 - 512, perUser: nil, exempt: []).perUser)
        configuration.socket = nil
        configuration.pressureSocket = .beside
        configuration.peersPerUser = nil
        #expect(configuration == Settings())
    }
}
