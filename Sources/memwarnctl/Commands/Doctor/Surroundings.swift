import MemoryPressure
import MemwarnProgram

/// The observations of `doctor`, before they are judged.
struct Surroundings {
    /// The result of an attempt.
    enum Attempt: Equatable {
        case worked
        case failed(KernelError)
    }

    /// The value that was read, or the error.
    typealias Reading<Value> = Result<Value, KernelError>

    /// PSI of the machine: all time with a stall since boot, in microseconds.
    var stallTotal: Reading<UInt64>
    /// Arming a trigger with a short window.
    var shortTrigger: Attempt
    /// Arming a trigger with a window that any user may have.
    var trigger: Attempt

    /// The mounts of cgroup v2.
    var cgroupMounts: Reading<[CgroupMount]>
    /// Whether the memory controller belongs to cgroup v1.
    var isMemoryVersionOne = false
    /// The controllers of the v2 hierarchy, as far as this process sees it.
    var controllers: [String] = []
    /// This process's own cgroup.
    var ownCgroup: Cgroup?
    /// Reading its `memory.pressure`.
    var ownPressure: Attempt?
    /// Whether it has `memory.events`.
    var hasOwnEvents = false
    /// Arming a trigger on the `memory.pressure` of another cgroup; `nil` if there is no other.
    var otherPressure: (path: String, attempt: Attempt)?

    /// Whether the processes of the whole machine are visible, not only those of one container; `nil` if unknown.
    var seesAllProcesses: Bool?
    /// How `/proc` hides processes of other users, from this process or from one with fewer rights; `nil` if it does not.
    var hiding: String?

    var memory: Reading<MemoryAvailability>
    /// In bytes; `nil` if unknown.
    var swap: UInt64?

    /// The maximum number of open files of a daemon; `nil` for any number.
    var descriptorLimit: UInt64?
    /// The maximum of locked memory, in bytes; `nil` for all.
    var lockLimit: UInt64?
    /// The effective capabilities, as bits; `nil` if unknown.
    var capabilities: UInt64?

    /// The state of a daemon, or why there is none.
    var daemon: Result<DaemonSnapshot, Failure>
    /// The values of the variables that decide where programs wait for pressure, if they are set.
    var variables: [String: String] = [:]
}
