import ArgumentParser

/// The options for real pressure instead of a simulation.
struct ApplyOptions: ParsableArguments {
    @Flag(help: "Make memory really short, in a cgroup of its own.")
    var apply = false

    @Option(
        name: .customLong("cgroup-memory"),
        help: ArgumentHelp("What the cgroup may keep in memory; without it 48M.", valueName: "bytes"),
        transform: Quantities.bytes
    )
    var memory: UInt64?

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long memory is short; without it 10s.", valueName: "time"),
        transform: Quantities.duration
    )
    var time: Duration?

    func validate() throws {
        guard apply || memory == nil && time == nil else {
            throw ValidationError("--cgroup-memory and --for go with --apply.")
        }
        // Less is not enough for the processes that make memory short.
        if let memory, memory < 24 << 20 || memory > 1 << 40 {
            throw ValidationError("--cgroup-memory takes 24M to 1T.")
        }
        if let time, time > .seconds(600) { throw ValidationError("--for takes 10min at most.") }
    }
}
