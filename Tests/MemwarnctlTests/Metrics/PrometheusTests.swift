import CLinux
import TestSupport
import Testing

@testable import memwarnctl

/// Checks the metrics and the alerts with Prometheus's own tool.
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

    @Test func metricsWithoutADaemonAreValid() throws {
        let directory = try TemporaryDirectory()
        try directory.write(Metrics.down, to: "memwarnd.prom")
        let command = "exec /usr/bin/promtool check metrics <\(directory.path)/memwarnd.prom"
        #expect(try ChildProcess("/bin/sh", ["-c", command]).end() == (0, ""))
    }

    @Test(arguments: ["memwarnd.rules", "memwarnd.fleet.rules"])
    func alertsFireWhenTheyShould(rules: String) throws {
        let tests = "\(PackagingFile.folder)/prometheus/\(rules).test.yml"
        let (code, output) = try ChildProcess("/usr/bin/promtool", ["test", "rules", tests]).end()
        #expect(code == 0, "\(output)")
    }

    @Test(
        "the alerts and the dashboard query only existing metrics",
        arguments: ["prometheus/memwarnd.rules.yml", "prometheus/memwarnd.fleet.rules.yml", "grafana/memwarnd.json"]
    )
    func alertsNameMetrics(file: String) throws {
        let metrics = Metrics.text(.made, perHost: false)
        let words = try PackagingFile.text(file).split { !($0.isLetter || $0 == "_") }
        let names = words.filter { $0.hasPrefix("memwarnd_") }
        #expect(names.count > 5)
        for name in names {
            let family = name.hasSuffix("_bucket") ? name.dropLast("_bucket".count) : name
            #expect(metrics.contains("# TYPE \(family) "), "\(name)")
        }
    }
}
