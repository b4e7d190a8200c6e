/// A fault, or a change of the machine, at an instant.
package struct Fault: Sendable {
    enum Kind: Sendable {
        /// The daemon is killed and returns after this time; the service manager's store is lost unless `keepsStore`.
        case lostDaemon(Double, keepsStore: Bool)
        /// The daemon is replaced: in the next round if there is one soon, after this number of effects of that step.
        case upgrade(down: Double, afterEffects: Int)
        /// The daemon does not run for this time, and then receives all events at once.
        case freeze(Double)
        /// The clock jumps by this time, and nothing else changes.
        case clockJump(Double)
        /// A host behaves differently for this time.
        case behaviour(host: Int, HostBehaviour, Double)
        /// A host does not read its socket for this time.
        case fullSocket(host: Int, Double)
        /// A host ends, and starts again after this time.
        case restart(host: Int, Double)
        /// No descriptor is left for this time.
        case descriptors(Double)
        /// A cgroup's files cannot be opened for this time.
        case opens(cgroup: Int, Int32, Double)
        /// A cgroup's files cannot be read for this time: only its limits, or all.
        case reads(cgroup: Int, limitsOnly: Bool, Double)
        /// A cgroup is removed, its programs end, and it is created again after this time.
        case removal(cgroup: Int, Double)
        /// A host moves to another cgroup.
        case move(host: Int, cgroup: Int)
        /// A cgroup's stalls are not counted for this time.
        case accounting(cgroup: Int, Double)
        /// A cgroup's limits are scaled by a factor for this time.
        case limits(cgroup: Int, factor: Double, Double)
        /// The daemon reads the configuration again; the number selects its contents.
        case reload(Int)
        /// A client warns hosts as if memory were short, or commands them.
        case request(Int)
    }

    /// In seconds.
    let at: Double
    let kind: Kind
}

/// How a host answers.
enum HostBehaviour: UInt8, Sendable {
    case honest
    /// It answers after its deadline.
    case slow
    /// It releases nothing and does not answer.
    case silent
    /// It claims more bytes than it holds, and releases none.
    case lying
    /// It sends answers and requests endlessly.
    case flooding
}
