import CLinux
import TestSupport
import Testing

@testable import memwarnd

/// Checks the units in `packaging/systemd` with systemd-analyze.
@Suite(.enabled(if: access("/usr/bin/systemd-analyze", X_OK) == 0, "systemd-analyze is not installed"))
struct UnitFileTests {
    @Test(
        "systemd rates the exposure of a service at 1.5 of 10 at most",
        arguments: ["memwarnd.service", "memwarnd-metrics.service"]
    )
    func exposure(unit: String) throws {
        let path = "\(PackagingFile.folder)/systemd/system/\(unit)"
        let (code, output) = try ChildProcess(
            "/usr/bin/systemd-analyze",
            ["security", "--offline=true", "--threshold=15", "--no-pager", path]
        ).end()
        #expect(code == 0, "\(output)")
        #expect(output.contains("Overall exposure level for \(unit)"))
    }
}
