import MemoryPressure
import WarningPolicy

/// One key of the configuration: its name, and how its value is read, written and kept.
///
/// ``all`` is the only list of keys there is: reading, the errors about unknown keys and what `memwarnd config show` prints
/// follow from it.
struct ConfigurationKey {
    /// The name of the key with its table, such as `levels.warning`.
    let path: String
    /// What holds while it is not set; `nil` if it has a default that could be written.
    let unset: String?
    /// Puts a value into a configuration.
    let read: (ConfigurationValue, inout Settings) throws(ConfigurationMismatch) -> Void
    /// Takes the value out of a configuration; `nil` if it is not set.
    let write: (Settings) -> ConfigurationValue?

    private init<Value>(
        _ path: String,
        _ property: WritableKeyPath<Settings, Value>,
        _ form: ConfigurationForm<Value>,
        unset: String? = nil
    ) {
        self.path = path
        self.unset = unset
        read = { (value, configuration) throws(ConfigurationMismatch) in
            configuration[keyPath: property] = try form.read(value)
        }
        write = { form.write($0[keyPath: property]) }
    }

    /// The table the key is in; `nil` at the top.
    var table: String? { path.firstIndex(of: ".").map { String(path[..<$0]) } }
    /// The key within its table.
    var name: String { path.firstIndex(of: ".").map { String(path[path.index(after: $0)...]) } ?? path }
}

extension ConfigurationKey {
    /// Every key, those of a table together.
    static var all: [Self] {
        [
            Self(
                "socket",
                \.socket,
                ConfigurationForm<String>.socketPath.optional,
                unset: "$MEMWARND_SOCKET, /run/memwarnd/memwarnd.sock as root, or the user's own run-time directory"
            )
        ] + levels + sensors + rounds + doors + [
            Self(
                "limits.peers-per-user",
                \.peersPerUser,
                // The kernel's own default of how many descriptors a process can be given at all.
                ConfigurationForm<Int>.count(in: 1...1_048_576).optional,
                unset: "an eighth of all connections, and no more than 512"
            ),
            Self("process.lock-memory", \.locksMemory, .flag),
        ]
    }

    private static var levels: [Self] {
        [
            Self("levels.warning", \.levels.warning, .percent),
            Self("levels.warning-windows", \.levels.warningWindows, .count(in: 1...60)),
            Self("levels.critical", \.levels.critical, .percent),
            Self("levels.critical-full", \.levels.criticalFull, .percent),
            Self("levels.needs-reclaim", \.levels.needsReclaim, .flag),
            Self("levels.headroom", \.levels.headroom, .headroomPercent),
            Self("levels.headroom-critical", \.levels.headroomCritical, .percent),
            Self("levels.fall", \.levels.fall, .percent),
            Self("levels.dwell", \.levels.dwell, .duration()),
            Self("levels.repeat", \.levels.repeatInterval, .duration()),
            Self("levels.hold", \.levels.hold, .duration()),
        ]
    }

    private static var sensors: [Self] {
        [
            Self("sensors.cgroups", \.cgroups, .cgroupPatterns),
            Self("sensors.headroom-far", \.levels.headroomFar, .percent),
            // The longest window the kernel takes, and the shortest that can matter: it looks ten times a window.
            Self("sensors.window", \.stalls.privilegedWindow, .duration(in: .milliseconds(50)...(.seconds(10)))),
        ]
    }

    private static var rounds: [Self] {
        [
            Self("rounds.deadline", \.deadline, .duration()),
            Self("rounds.critical-deadline", \.criticalDeadline, .duration()),
            Self("rounds.settle", \.settle, .duration()),
        ]
    }

    private static var doors: [Self] {
        [
            Self(
                "doors.pressure-socket",
                \.pressureSocket,
                .pressureSocket,
                unset: "pressure.sock in the directory of the socket"
            ),
            Self("doors.low-memory-monitor", \.offersLowMemoryMonitor, .flag),
        ]
    }
}
