import ArgumentParser

/// The options of a simulation with a private daemon.
struct StandaloneOptions: ParsableArguments {
    @Flag(help: "Start a private daemon and the program after --, warn it, and end both.")
    var standalone = false

    @Option(
        help: ArgumentHelp("Begin when this number of hosts have registered; by default 1.", valueName: "n"),
        transform: { text in
            guard let number = Int(text), number > 0 else { throw ValidationError("--hosts takes a number above 0.") }
            return number
        }
    )
    var hosts: Int?

    @Option(
        help: ArgumentHelp(
            "Wait this long after registration, or after the start with --apply, so that the program can load its data; "
                + "by default 1s.",
            valueName: "time"
        ),
        transform: Quantities.delay
    )
    var settle: Duration?

    @Option(
        help: ArgumentHelp("Give up if they have not registered after this time; by default 30s.", valueName: "time"),
        transform: Quantities.duration
    )
    var timeout: Duration?

    func validate() throws {
        guard standalone || hosts == nil && timeout == nil else {
            throw ValidationError("--hosts and --timeout go with --standalone.")
        }
    }
}
