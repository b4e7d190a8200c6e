import MemoryPressure
import MemwarnProtocol
import WarningPolicy

/// Which cgroups the processes of some hosts are in; what may be found out on another thread.
///
/// The kernel looks names of cgroups up under a lock that it holds for tens of milliseconds when a cgroup is removed that has
/// triggers: a user that removes cgroups would have the event loop wait.
// Written by the thread before it hands the search back, and read by the loop after it took it back.
final class HostSearch: @unchecked Sendable {
    /// The host to search for.
    enum Subject {
        /// A host that is not registered before it is found, and its hello's sequence.
        case newcomer(Newcomer, sequence: UInt64)
        case host(HostID)
    }

    /// A process that is looked for.
    final class Sought {
        let subject: Subject
        private let pid: UInt32
        /// `nil` if it has ended, or cannot be held.
        private let process: ConnectedProcess?
        private(set) var location = Location.found(.host)

        /// Holds the process until it is found.
        init(_ subject: Subject, behind link: any HostLink) {
            self.subject = subject
            pid = link.process.pid
            process = ConnectedProcess(connectedTo: link.fileDescriptor, pid: pid)
        }

        /// Finds it; a process that has ended is in no cgroup, whatever its pid says now.
        fileprivate func find(below mounts: CgroupMounts) {
            switch process {
            case .none: return
            case .some(let process):
                let found = place(below: mounts)
                if process.isAlive { location = found }
            }
        }

        private func place(below mounts: CgroupMounts) -> Location {
            do throws(KernelError) {
                return .found(try SensorPlace.of(.pid(pid), below: mounts))
            } catch {
                return .unknown(error)
            }
        }
    }

    /// How many at a time: those found are told in one turn.
    static let limit = 16
    let sought: [Sought]
    private let mounts: CgroupMounts

    /// The mounts are the search's until it is done.
    init(_ sought: [Sought], below mounts: CgroupMounts) {
        (self.sought, self.mounts) = (sought, mounts)
    }

    func perform() {
        for one in sought { one.find(below: mounts) }
    }
}
