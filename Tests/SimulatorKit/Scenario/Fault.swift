/// Something that goes wrong, or is done to the machine, at an instant.
package struct Fault: Sendable {
    enum Kind: Sendable {
        /// The daemon is killed and comes back after so long; what the service manager keeps is lost with it unless `keepsStore`.
        case lostDaemon(Double, keepsStore: Bool)
        /// The daemon is replaced, at the next round if there is one soon, after so many effects of that step.
        case upgrade(down: Double, afterEffects: Int)
        /// The daemon does not run for so long, and then finds everything at once.
        case freeze(Double)
        /// The clock goes on by so much, and nothing else does.
        case clockJump(Double)
        /// A host behaves in another way for so long.
        case behaviour(host: Int, HostBehaviour, Double)
        /// A host does not read its socket for so long.
        case fullSocket(host: Int, Double)
        /// A host ends, and starts again after so long.
        case restart(host: Int, Double)
        /// No descriptor is left for so long.
        case descriptors(Double)
        /// A cgroup's files cannot be opened for so long.
        case opens(cgroup: Int, Int32, Double)
        /// A cgroup's files cannot be read for so long: its limits only, or all.
        case reads(cgroup: Int, limitsOnly: Bool, Double)
        /// A cgroup is removed, its programs end, and it is made again after so long.
        case removal(cgroup: Int, Double)
        /// A host moves to another cgroup.
        case move(host: Int, cgroup: Int)
        /// A cgroup's stalls are not counted for so long.
        case accounting(cgroup: Int, Double)
        /// A cgroup's limits are another part of what they were, for so long.
        case limits(cgroup: Int, factor: Double, Double)
        /// The configuration is read anew; the number decides what is in it.
        case reload(Int)
        /// A client has hosts warned as if memory were short, or commands them.
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
    /// It gives nothing back and does not answer.
    case silent
    /// It says that it gave back more than there is, and gives nothing.
    case lying
    /// It sends answers and requests without end.
    case flooding
}
