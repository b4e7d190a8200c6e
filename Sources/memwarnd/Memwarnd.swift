import ArgumentParser

/// The command `memwarnd`.
@main
struct Memwarnd: ParsableCommand {
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: "memwarnd",
        abstract: "Tells services to give memory back before anything has to be killed.",
        discussion: """
            memwarnd watches the host and the cgroups of registered services for memory pressure. When tasks stall \
            because memory is short, it warns the services concerned; they release caches and what they can load again, \
            and answer with what they gave back. When the pressure is over it says so.

            Start it as a service, then look at it and try it out:

              memwarnd run                             start the daemon in the foreground
              memwarnd status                          levels, registered hosts, last rounds
              memwarnd simulate --level critical       warn every host, as if memory were short
              memwarnd watch                           follow what happens, line by line

            Clients find the daemon at $MEMWARND_SOCKET, at /run/memwarnd/memwarnd.sock, or at
            $XDG_RUNTIME_DIR/memwarnd/memwarnd.sock, in this order.
            """,
        version: version,
        subcommands: [RunCommand.self, StatusCommand.self, SimulateCommand.self, WatchCommand.self]
    )
}
