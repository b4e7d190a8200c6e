import MemoryPressure
package import WarningPolicy

/// One key of the configuration: its name, and how its value is read, written and kept.
///
/// ``all`` is the only list of keys: reading, the errors about unknown keys and the output of `memwarnd config show`
/// follow from it.
package struct ConfigurationKey {
    /// The name of the key with its table, such as `levels.warning`.
    package let path: String
    /// The behaviour while the key is not set; `nil` if its default could be written as a value.
    package let unset: String?
    /// Stores a value in a configuration.
    let read: (ConfigurationValue, inout Settings) throws(ConfigurationMismatch) -> Void
    /// Reads the value from a configuration; `nil` if it is not set.
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

    /// The table of the key; `nil` at the top.
    package var table: String? { path.firstIndex(of: ".").map { String(path[..<$0]) } }
    /// The key within its table.
    package var name: String { path.firstIndex(of: ".").map { String(path[path.index(after: $0)...]) } ?? path }
}

extension ConfigurationKey {
    /// Every key, with the keys of a table together.
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
                // The maximum is the kernel's default for the number of descriptors that a process can have at all.
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
            // The longest window that the kernel accepts, and the shortest useful one: the kernel checks ten times a
            // window.
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
