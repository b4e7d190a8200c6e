import CLinux
import MemoryPressure
import MemwarnProtocol
import TestSupport
import Testing

struct TopCommandTests {
    /// A daemon, and `top` on its own terminal.
    private final class Stage {
        let daemon: DaemonProcess
        let terminal: PseudoTerminal
        let top: ChildProcess
        private let modesBefore: tcflag_t

        init(_ options: [String] = [], environment: [String: String] = [:]) throws {
            daemon = try DaemonProcess()
            terminal = try PseudoTerminal(columns: 100, rows: 20)
            modesBefore = try terminal.lineModes()
            top = try ChildProcess(
                "memwarnd",
                ["top", "--socket", daemon.socket] + options,
                environment: ["TERM": "xterm", "NO_COLOR": ""].merging(environment) { $1 },
                terminal: terminal.device
            )
            try #require(sees("q quit"), "\(terminal.lines)")
        }

        /// Whether a line that contains this text appears.
        func sees(_ text: String) -> Bool {
            terminal.wait { terminal in terminal.lines.contains { $0.contains(text) } }
        }

        /// Whether the terminal's state is the same as before.
        func isRestored() throws -> Bool {
            let modes = try terminal.lineModes()
            return terminal.modes == [7, 25] && modes == modesBefore
        }

        /// Waits for `top` to end.
        func end() -> CInt {
            terminal.drain()
            return top.wait()
        }
    }

    @Test("top uses the screen and shows the daemon's figures; q restores the screen")
    func quit() throws {
        let stage = try Stage()
        #expect(stage.terminal.modes == [1049])
        #expect(try stage.terminal.lineModes() & tcflag_t(ICANON | ECHO | NOFLSH) == tcflag_t(NOFLSH))
        #expect(stage.terminal.lines[0].hasPrefix("memwarnd 0.1.0, pid \(stage.daemon.process.pid), up "))
        #expect(stage.terminal.lines[2].hasPrefix("SCOPE  LEVEL   SINCE"))
        #expect(stage.terminal.lines[19].hasPrefix("q quit   s sort"))
        #expect(stage.terminal.colours > 0)
        stage.terminal.type("q")
        #expect(stage.end() == 0)
        #expect(try stage.isRestored())
        // No cleared screen and no other sequence that causes flicker.
        #expect(stage.terminal.unknown == [])
    }

    @Test(
        "the terminal is restored no matter how top ends",
        arguments: [(SIGINT, 0), (SIGTERM, -SIGTERM), (SIGHUP, -SIGHUP), (SIGQUIT, -SIGQUIT), (SIGABRT, -SIGABRT)]
            as [(CInt, CInt)]
    )
    func signals(number: CInt, code: CInt) throws {
        let stage = try Stage()
        stage.top.send(number)
        #expect(stage.end() == code)
        #expect(try stage.isRestored())
    }

    @Test("Ctrl-C quits")
    func interrupt() throws {
        let stage = try Stage()
        stage.terminal.type("\u{3}")
        #expect(stage.end() == 0)
        #expect(try stage.isRestored())
    }

    @Test("Ctrl-Z restores the terminal until top continues")
    func stop() throws {
        let stage = try Stage()
        stage.terminal.type("\u{1a}")
        var status: CInt = 0
        #expect(waitpid(stage.top.pid, &status, WUNTRACED) == stage.top.pid)
        #expect(stage.terminal.wait { $0.modes == [7, 25] })
        #expect(try stage.isRestored())
        stage.top.send(SIGCONT)
        #expect(stage.terminal.wait { $0.modes == [1049] })
        stage.terminal.type("q")
        #expect(stage.end() == 0)
        #expect(try stage.isRestored())
    }

    @Test("top shows an event at once, long before the interval is over")
    func events() throws {
        let stage = try Stage(["--interval", "3600"])
        let host = try RawPeer(stage.daemon, host: "gallery", releasable: 5 << 20)
        #expect(stage.sees("gallery  \(getpid())  normal       5 MiB  not asked"))
        let control = try RawPeer(stage.daemon)
        try control.simulate(.patient(.warning))
        let (round, _) = try host.warning()
        try host.acknowledge(round, released: 3 << 20)
        #expect(stage.sees("answered        3 MiB  1.50 ms"))
        #expect(stage.sees("simulation    1/1       1/1       0     3 MiB"))
    }

    @Test("top refreshes by itself at each interval")
    func interval() throws {
        let stage = try Stage(["--interval", "0.1"])
        #expect(stage.sees(", up 1 s, "))
        #expect(stage.sees(", up 2 s, "))
    }

    @Test("keys sort, scroll and pause")
    func keys() throws {
        let stage = try Stage()
        let hosts = try (1...30).map { try RawPeer(stage.daemon, host: "host \($0)", releasable: UInt64(100 - $0)) }
        #expect(stage.sees("of 30   "))
        stage.terminal.type("\u{1b}[B\u{1b}[Bj")
        #expect(stage.sees("hosts 4 to "))
        stage.terminal.type("k")
        #expect(stage.sees("hosts 3 to "))
        #expect(stage.terminal.lines.contains { $0.hasPrefix("host 3 ") })
        stage.terminal.type("ssss")
        #expect(stage.sees("(by name)"))
        #expect(stage.terminal.lines.contains { $0.hasPrefix("host 11 ") })
        stage.terminal.type("p")
        #expect(stage.sees(", paused"))
        withExtendedLifetime(hosts) {}
    }

    @Test("a paused top changes nothing; afterwards it shows new figures")
    func pause() throws {
        let stage = try Stage(["--interval", "3600"])
        stage.terminal.type("p")
        #expect(stage.sees(", paused"))
        let host = try RawPeer(stage.daemon, host: "gallery")
        // `top` handles this key after the event has arrived.
        try host.waitForHosts(1)
        stage.terminal.type("s")
        #expect(stage.sees("(by released)"))
        #expect(stage.terminal.lines.contains("no registered hosts"))
        stage.terminal.type("p")
        #expect(stage.sees("gallery"))
        // A shorter line leaves nothing of the longer one before it.
        #expect(!stage.terminal.lines[0].contains("paused"))
    }

    @Test("a new size changes the layout", arguments: [(60, 12), (150, 40)])
    func resize(columns: Int, rows: Int) throws {
        let stage = try Stage(["--interval", "3600"])
        stage.terminal.resize(columns: columns, rows: rows)
        #expect(stage.terminal.wait { $0.lines[rows - 1].hasPrefix("q quit") })
        #expect(stage.terminal.lines.count { $0.hasPrefix("q quit") } == 1)
        #expect(stage.terminal.lines[2].hasPrefix("SCOPE"))
    }

    @Test("a lost daemon is reported on the first line, and found again")
    func reconnect() throws {
        let stage = try Stage()
        let directory = stage.daemon.directory.path
        #expect(stage.daemon.terminate() == 0)
        #expect(stage.terminal.wait { $0.lines[0].hasSuffix(" s ago") || $0.lines[0].hasSuffix("…") })
        #expect(stage.terminal.lines[0].contains("the daemon ended the connection") || stage.sees("no daemon answers"))
        #expect(stage.terminal.lines[2].hasPrefix("SCOPE"))
        let next = try ChildProcess(
            "memwarnd",
            ["run", "--socket", stage.daemon.socket, "--config", directory + "/memwarnd.toml"]
        )
        #expect(stage.sees("pid \(next.pid), up "))
    }

    @Test("a daemon that does not answer is reported on the first line")
    func silence() throws {
        let stage = try Stage(["--interval", "0.1"])
        stage.daemon.process.send(SIGSTOP)
        #expect(stage.sees("the daemon has not answered for 3 s"))
        stage.daemon.process.send(SIGCONT)
        #expect(stage.terminal.wait { $0.lines[0].hasPrefix("memwarnd 0.1.0") })
    }

    @Test("NO_COLOR is honoured")
    func noColour() throws {
        let stage = try Stage(environment: ["NO_COLOR": "1"])
        #expect(stage.terminal.colours == 0)
    }

    @Test(
        "in a pipe, with --once and on a dumb terminal it prints everything once, without escapes",
        arguments: ["pipe", "once", "dumb"]
    )
    func once(way: String) throws {
        let daemon = try DaemonProcess()
        let host = try RawPeer(daemon, host: "gallery")
        let arguments = ["top", "--socket", daemon.socket] + (way == "once" ? ["--once"] : [])
        var lines: [String]
        if way == "pipe" {
            let (code, output) = try ChildProcess("memwarnd", arguments).end()
            #expect(code == 0)
            #expect(!output.contains("\u{1b}"))
            lines = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        } else {
            let terminal = try PseudoTerminal(columns: 100, rows: 20)
            let environment = ["TERM": way == "dumb" ? "dumb" : "xterm"]
            let top = try ChildProcess("memwarnd", arguments, environment: environment, terminal: terminal.device)
            terminal.drain()
            #expect(top.wait() == 0)
            #expect(terminal.colours == 0 && terminal.unknown == [] && terminal.modes == [7, 25])
            lines = terminal.lines
        }
        #expect(lines[0].hasPrefix("memwarnd 0.1.0, pid \(daemon.process.pid), up "))
        #expect(lines[2].hasPrefix("SCOPE "))
        #expect(lines[6].hasPrefix("gallery  \(getpid())  normal "))
        #expect(lines[8] == "no rounds yet")
        withExtendedLifetime(host) {}
    }
}
