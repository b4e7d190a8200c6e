import ArgumentParser
import MemoryPressure
import MemwarnProtocol

/// The simulated levels, the hosts, and the expected result.
struct SimulationOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The level: normal, warning or critical.", valueName: "level"),
        transform: { text in
            guard let level = PressureLevel(text) else {
                throw ValidationError("“\(text)” is no level; say normal, warning or critical.")
            }
            return level
        }
    )
    var level: PressureLevel?

    @Option(
        help: ArgumentHelp(
            "Levels and their durations, such as warning:2s,critical:2s,normal; or storm, "
                + "or flap.",
            valueName: "course"
        ),
        transform: { text in
            do throws(CourseError) {
                return try Course(parsing: text)
            } catch {
                throw ValidationError("\(error).")
            }
        }
    )
    var course: Course?

    @Option(name: .customLong("repeat"), help: ArgumentHelp("Repeat the course this number of times.", valueName: "n"))
    var times = 1

    @Option(help: ArgumentHelp("Only hosts with this name.", valueName: "name"))
    var host: String?

    @Option(help: ArgumentHelp("Only the host with this process id.", valueName: "pid"))
    var pid: UInt32?

    @Option(help: ArgumentHelp("Only hosts in this cgroup and below.", valueName: "path"))
    var cgroup: String?

    @Flag(help: "All hosts; this is the default.")
    var all = false

    @Option(
        help: ArgumentHelp("Ask each host for this number of bytes, such as 64M.", valueName: "bytes"),
        transform: Quantities.bytes
    )
    var want: UInt64 = 0

    @Option(
        help: ArgumentHelp(
            "Count hosts as late after this time, such as 500ms, instead of the daemon's default; in ms without a unit.",
            valueName: "time"
        ),
        transform: Quantities.milliseconds
    )
    var deadline: UInt32 = 0

    @Option(
        name: .customLong("expect-freed"),
        help: ArgumentHelp(
            "Fail if the hosts claim to have released less than this, all hosts and all steps together.",
            valueName: "bytes"
        ),
        transform: Quantities.bytes
    )
    var expectedReleased: UInt64?

    @Option(
        name: .customLong("expect-resident-freed"),
        help: ArgumentHelp(
            "Fail if the resident sets of the hosts that answered fell by less than this, all hosts and all steps together.",
            valueName: "bytes"
        ),
        transform: Quantities.bytes
    )
    var expectedResidentFreed: UInt64?

    @Option(
        defaultAsFlag: ReportOutput.standardOutput,
        help: ArgumentHelp(
            "Print JSON, with bytes and seconds as numbers; with a file's name write it there, and print text as well.",
            valueName: "file"
        )
    )
    var json: String? = nil

    func validate() throws {
        guard level == nil || course == nil else { throw ValidationError("Give a level or a course, not both.") }
        guard [host != nil, pid != nil, cgroup != nil, all].count(where: \.self) < 2 else {
            throw ValidationError("Give one of --host, --pid, --cgroup and --all.")
        }
        if let host, !TextLimit.name.contains(host.utf8.count) {
            throw ValidationError("A host's name has 1 to \(TextLimit.name.upperBound) bytes.")
        }
        if let cgroup, !cgroup.hasPrefix("/") || cgroup.utf8.count > TextLimit.path.upperBound {
            throw ValidationError(
                "A cgroup's path begins with / and has at most \(TextLimit.path.upperBound) bytes, see “memwarnd status”."
            )
        }
        guard deadline <= LongestDeadline.milliseconds else {
            let longest = LongestDeadline.milliseconds / 1000
            throw ValidationError("--deadline is at most \(longest)s: the daemon waits no longer.")
        }
        let steps = course?.steps.count ?? 1
        guard times >= 1, times <= Course.limit / steps else {
            throw ValidationError(
                "--repeat takes 1 to \(Course.limit / steps): a course has at most \(Course.limit) steps."
            )
        }
    }

    /// The options that were given, except the destination of the report.
    var given: [String] {
        let options = [
            (level != nil, "--level"), (course != nil, "--course"), (times != 1, "--repeat"), (host != nil, "--host"),
            (pid != nil, "--pid"), (cgroup != nil, "--cgroup"), (all, "--all"), (want != 0, "--want"),
            (deadline != 0, "--deadline"), (expectedReleased != nil, "--expect-freed"),
            (expectedResidentFreed != nil, "--expect-resident-freed"),
        ]
        return options.filter(\.0).map(\.1)
    }

    var expected: ExpectedBytes {
        ExpectedBytes(released: expectedReleased, residentFreed: expectedResidentFreed)
    }

    /// The whole course; `nil` if none was given.
    var whole: Course? {
        (course ?? level.map { Course([($0, .zero)]) })?.repeated(times)
    }

    /// The request for a level.
    func request(_ level: PressureLevel) -> Simulate {
        let target: Simulate.Target =
            host.map { .name($0) } ?? pid.map { .pid($0) } ?? cgroup.map { .cgroup($0) } ?? .all
        return Simulate(level: level, target: target, bytesWanted: want, deadline: deadline)
    }
}
