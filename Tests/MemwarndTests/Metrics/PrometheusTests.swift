import Glibc
import TestSupport
import Testing

@testable import memwarnd

/// What Prometheus's own checker says of the metrics and the alerts.
@Suite(.enabled(if: access("/usr/bin/promtool", X_OK) == 0, "promtool is not installed (package prometheus)"))
struct PrometheusTests {
    @Test(arguments: [true, false])
    func metricsAreInOrder(perHost: Bool) throws {
        let directory = try TemporaryDirectory()
        try directory.write(Metrics.text(.made, perHost: perHost), to: "memwarnd.prom")
        let command = "exec /usr/bin/promtool check metrics <\(directory.path)/memwarnd.prom"
        let (code, output) = try ChildProcess("/bin/sh", ["-c", command]).end()
        #expect(code == 0)
        #expect(output == "")
    }

    @Test func metricsWithoutADaemonAreInOrder() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Metrics.down, to: "memwarnd.prom")
        let command = "exec /usr/bin/promtool check metrics <\(directory.path)/memwarnd.prom"
        #expect(try ChildProcess("/bin/sh", ["-c", command]).end() == (0, ""))
    }

    @Test func alertsFireWhenTheyShould() throws {
        let tests = "\(PackagingFile.folder)/prometheus/memwarnd.rules.test.yml"
        let (code, output) = try ChildProcess("/usr/bin/promtool", ["test", "rules", tests]).end()
        #expect(code == 0, "\(output)")
    }

    @Test("the alerts ask for metrics that there are")
    func alertsNameMetrics() throws {
        let metrics = Metrics.text(.made, perHost: false)
        let rules = try PackagingFile.text("prometheus/memwarnd.rules.yml")
        let names = rules.split { !($0.isLetter || $0 == "_") }.filter { $0.hasPrefix("memwarnd_") }
        #expect(names.count > 5)
        for name in names { #expect(metrics.contains("# TYPE \(name) "), "\(name)") }
    }
}
