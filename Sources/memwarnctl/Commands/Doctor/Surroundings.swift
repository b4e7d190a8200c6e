import MemoryPressure
import MemwarnProgram

/// What `doctor` saw, before anybody judged it.
struct Surroundings {
    /// What became of something that was tried.
    enum Attempt: Equatable {
        case worked
        case failed(KernelError)
    }

    /// What was read, or why it could not be.
    typealias Reading<Value> = Result<Value, KernelError>

    /// PSI of the host: all time with a stall since boot, in microseconds.
    var stallTotal: Reading<UInt64>
    /// Arming a trigger with a short window.
    var shortTrigger: Attempt
    /// Arming one with a window that anybody may have.
    var trigger: Attempt

    /// Where cgroup v2 is mounted.
    var cgroupMounts: Reading<[CgroupMount]>
    /// Whether the memory controller is one of cgroup v1's.
    var isMemoryVersionOne = false
    /// The controllers of the v2 hierarchy, as far as this process sees it.
    var controllers: [String] = []
    /// This process's own cgroup.
    var ownCgroup: Cgroup?
    /// Reading its `memory.pressure`.
    var ownPressure: Attempt?
    /// Whether it has `memory.events`.
    var hasOwnEvents = false
    /// Arming a trigger on another cgroup's `memory.pressure`, and which; `nil` if there is no other.
    var otherPressure: (path: String, attempt: Attempt)?

    /// Whether the processes of the whole machine are seen, and not those of one container; `nil` if that is not known.
    var seesAllProcesses: Bool?
    /// How `/proc` hides processes of other users, from this process or from one with fewer rights; `nil` if it does not.
    var hiding: String?

    var memory: Reading<MemoryAvailability>
    /// In bytes; `nil` if it is not known.
    var swap: UInt64?

    /// As many files as a daemon may open; `nil` for any number.
    var descriptorLimit: UInt64?
    /// As much memory as it may lock, in bytes; `nil` for all.
    var lockLimit: UInt64?
    /// The effective capabilities, as bits; `nil` if they are not known.
    var capabilities: UInt64?

    /// What a daemon says, or why none does.
    var daemon: Result<DaemonSnapshot, Failure>
    /// The values of the variables that decide where programs listen for pressure, as far as they are set.
    var variables: [String: String] = [:]
}
