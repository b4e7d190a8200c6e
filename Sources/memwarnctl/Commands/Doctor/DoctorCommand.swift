import ArgumentParser
import MemoryPressure
import MemwarnProgram

/// `memwarnd doctor`.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Report how well memory pressure can be watched here, and how to improve that.",
        discussion: """
            Checks what the kernel offers to this user with these privileges, and the daemon if one runs: run it as \
            the daemon's user to learn what the daemon could do. It changes nothing; triggers are armed and closed \
            again.

            Exit codes: 0 all good; 1 something could be better; 2 nothing can be watched.
            """
    )

    @OptionGroup var daemon: DaemonOptions

    @Flag(help: "Print JSON.")
    var json = false

    // For tests: a directory with the files of a simulated kernel.
    @Option(help: .private)
    var kernelRoot: String?

    func run() {
        Failure.reported { () throws(Failure) in
            let kernel = kernelRoot.map(KernelTree.init(root:)) ?? .live
            let diagnosis = Diagnosis(Surroundings(lookingAt: kernel, daemon: daemon))
            try StandardOutput.print(json ? JSONOutput.text(diagnosis, onOneLine: false) : diagnosis.text)
            return diagnosis.exitCode
        }
    }
}
