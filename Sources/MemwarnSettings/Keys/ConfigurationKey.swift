import MemoryPressure
package import WarningPolicy

/// One key of the configuration: its name, and how its value is read, written and kept.
///
/// ``all`` is the only list of keys there is: reading, the errors about unknown keys and what `memwarnd config show` prints
/// follow from it.
package struct ConfigurationKey {
    /// The name of the key with its table, such as `levels.warning`.
    package let path: String
    /// What holds while it is not set; `nil` if it has a default that could be written.
    package let unset: String?
    /// Puts a value into a configuration.
    let read: (ConfigurationValue, inout Settings) throws(ConfigurationMismatch) -> Void
    /// Takes the value out of a configuration; `nil` if it is not set.
    package let write: (Settings) -> ConfigurationValue?

    private init<Value>(
        _ path: String,
        _ form: ConfigurationForm<Value>,
        _ get: @escaping (Settings) -> Value,
        _ set: @escaping (inout Settings, Value) -> Void,
        unset: String? = nil
    ) {
        self.path = path
        self.unset = unset
        read = { (value, configuration) throws(ConfigurationMismatch) in
            set(&configuration, try form.read(value))
        }
        write = { form.write(get($0)) }
    }

    /// The table the key is in; `nil` at the top.
    package var table: String? { path.firstIndex(of: ".").map { String(path[..<$0]) } }
    /// The key within its table.
    package var name: String { path.firstIndex(of: ".").map { String(path[path.index(after: $0)...]) } ?? path }
}

extension ConfigurationKey {
    /// Every key, those of a table together.
    package static var all: [Self] {
        [
            Self(
                "socket",
                ConfigurationForm<String>.socketPath.optional,
                { $0.socket },
                { $0.socket = $1 },
                unset: "$MEMWARND_SOCKET, /run/memwarnd/memwarnd.sock as root, or the user's own run-time directory"
            )
        ] + levels + sensors + rounds + doors + [
            Self(
                "limits.peers-per-user",
                // The kernel's own default of how many descriptors a process can be given at all.
                ConfigurationForm<Int>.count(in: 1...1_048_576).optional,
                { $0.peersPerUser },
                { $0.peersPerUser = $1 },
                unset: "an eighth of all connections, and no more than 512"
            ),
            Self("process.lock-memory", .flag, { $0.locksMemory }, { $0.locksMemory = $1 }),
        ]
    }

    private static var levels: [Self] {
        [
            Self("levels.warning", .percent, { $0.levels.warning }, { $0.levels.warning = $1 }),
            Self(
                "levels.warning-windows",
                .count(in: 1...60),
                { $0.levels.warningWindows },
                { $0.levels.warningWindows = $1 }
            ),
            Self("levels.critical", .percent, { $0.levels.critical }, { $0.levels.critical = $1 }),
            Self("levels.critical-full", .percent, { $0.levels.criticalFull }, { $0.levels.criticalFull = $1 }),
            Self("levels.needs-reclaim", .flag, { $0.levels.needsReclaim }, { $0.levels.needsReclaim = $1 }),
            Self("levels.headroom", .headroomPercent, { $0.levels.headroom }, { $0.levels.headroom = $1 }),
            Self(
                "levels.headroom-critical",
                .percent,
                { $0.levels.headroomCritical },
                { $0.levels.headroomCritical = $1 }
            ),
            Self("levels.fall", .percent, { $0.levels.fall }, { $0.levels.fall = $1 }),
            Self("levels.dwell", .duration(), { $0.levels.dwell }, { $0.levels.dwell = $1 }),
            Self("levels.repeat", .duration(), { $0.levels.repeatInterval }, { $0.levels.repeatInterval = $1 }),
            Self("levels.hold", .duration(), { $0.levels.hold }, { $0.levels.hold = $1 }),
        ]
    }

    private static var sensors: [Self] {
        [
            Self("sensors.cgroups", .cgroupPatterns, { $0.cgroups }, { $0.cgroups = $1 }),
            Self("sensors.headroom-far", .percent, { $0.levels.headroomFar }, { $0.levels.headroomFar = $1 }),
            // The longest window the kernel takes, and the shortest that can matter: it looks ten times a window.
            Self(
                "sensors.window",
                .duration(in: .milliseconds(50)...(.seconds(10))),
                { $0.stalls.privilegedWindow },
                { $0.stalls.privilegedWindow = $1 }
            ),
        ]
    }

    private static var rounds: [Self] {
        [
            Self("rounds.deadline", .duration(), { $0.deadline }, { $0.deadline = $1 }),
            Self("rounds.critical-deadline", .duration(), { $0.criticalDeadline }, { $0.criticalDeadline = $1 }),
            Self("rounds.settle", .duration(), { $0.settle }, { $0.settle = $1 }),
        ]
    }

    private static var doors: [Self] {
        [
            Self(
                "doors.pressure-socket",
                .pressureSocket,
                { $0.pressureSocket },
                { $0.pressureSocket = $1 },
                unset: "pressure.sock in the directory of the socket"
            ),
            Self("doors.low-memory-monitor", .flag, { $0.offersLowMemoryMonitor }, { $0.offersLowMemoryMonitor = $1 }),
        ]
    }
}
