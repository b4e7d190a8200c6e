import MemoryPressure
import MemwarnProtocol
import WarningPolicy

/// A search for the cgroups of some hosts' processes; it may run on another thread.
///
/// The kernel looks up names of cgroups under a lock that it holds for tens of milliseconds when a cgroup with triggers
/// is removed: a user that removes cgroups would make the event loop wait.
// The thread writes it before it hands the search back, and the loop reads it afterwards.
final class HostSearch: @unchecked Sendable {
    /// The host to search for.
    enum Subject {
        /// A host that is registered after it is found, and the sequence of its hello.
        case newcomer(Newcomer, sequence: UInt64)
        case host(HostID)
    }

    /// A process to find.
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
            do throws(KernelError) {
                process = try ConnectedProcess(connectedTo: link.fileDescriptor, pid: pid)
            } catch {
                process = nil
                // The process may run, in a cgroup that is found later.
                if error.isShortage { location = .unknown(error) }
            }
        }

        /// Finds its cgroup; a process that has ended has none, even if another process has its pid now.
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

    /// The maximum number of processes in a search: the results are handled in one turn.
    static let limit = 16
    let sought: [Sought]
    private let mounts: CgroupMounts

    /// The search has exclusive use of the mounts until it is done.
    init(_ sought: [Sought], below mounts: CgroupMounts) {
        (self.sought, self.mounts) = (sought, mounts)
    }

    func perform() {
        for one in sought { one.find(below: mounts) }
    }
}
