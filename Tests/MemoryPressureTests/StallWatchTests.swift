import CLinux
import MemoryPressure
import TestSupport
import Testing

struct StallWatchTests {
    fileprivate static let calm = """
        some avg10=0.00 avg60=0.00 avg300=0.00 total=0
        full avg10=0.00 avg60=0.00 avg300=0.00 total=0

        """

    @Test func armsTheBestTriggersThatThisKernelPermits() throws {
        let watch = try StallWatch(opening: KernelTree.live.hostPressure)
        #expect(watch.triggers.count == 2)
        switch watch.rung {
        case .privileged:
            #expect(watch.window == .milliseconds(500))
            #expect(watch.rungReason == "")
        case .unprivileged:
            #expect(watch.window == .seconds(2))
            #expect(watch.rungReason == "short windows need CAP_SYS_RESOURCE")
        default:
            Issue.record("no trigger could be armed: \(watch.rungReason)")
        }
    }

    @Test("an ordinary file accepts the trigger's bytes, as a FIFO or socket in the kernel's place does")
    func writesTheTriggerWithItsNUL() throws {
        let kernel = try FakeKernel(["/proc/pressure/memory": Self.calm])
        let path = kernel.tree.hostPressure
        _ = try PressureTrigger(arming: path, kind: .some, threshold: .milliseconds(200), window: .seconds(2))
        #expect(try KernelFile.text(of: path).hasPrefix("some 200000 2000000\0"))
    }

    @Test(.enabled(if: getuid() == 0, "it takes root to become a user who may not write"))
    func pollsWhereTheFileCannotBeWritten() async {
        await #expect(processExitsWith: .success) {
            let kernel = try FakeKernel(["/proc/pressure/memory": StallWatchTests.calm])
            chmod(kernel.path(""), 0o755)
            chmod(kernel.tree.hostPressure, 0o644)
            try #require(seteuid(65534) == 0)
            let watch = try StallWatch(opening: kernel.tree.hostPressure)
            try #require(seteuid(0) == 0)
            #expect(watch.rung == .polling)
            #expect(watch.triggers.isEmpty)
            #expect(watch.rungReason.hasSuffix("Permission denied (errno 13)"))
        }
    }

    @Test func aMissingFileGivesNoRung() throws {
        let kernel = try FakeKernel(["/proc/meminfo": ""])
        let error = #expect(throws: KernelError.self) { _ = try StallWatch(opening: kernel.tree.hostPressure) }
        #expect(error?.errno == ENOENT)
        #expect(error?.operation == "open")
    }

    @Test func aFileThatIsNoPressureFileGivesNoRung() throws {
        let kernel = try FakeKernel(["/proc/pressure/memory": "hello\n"])
        let error = #expect(throws: KernelError.self) { _ = try StallWatch(opening: kernel.tree.hostPressure) }
        #expect(error?.errno == EBADMSG)
    }
}
