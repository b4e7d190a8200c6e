import CLinux
import MemoryPressure
import WarningPolicy

/// The right of a peer to warn and command hosts.
struct ControlRights {
    /// The group whose members may warn and command all hosts.
    static let groupName = "memwarnd"

    private let group: UInt32?
    private let users: Set<UInt32>
    private let overflow: UInt32

    /// Root and the daemon's own user may warn all hosts, and so may the members of a group, if it exists.
    ///
    /// The overflow uid has no rights: in a user namespace it stands for every user without a mapping.
    init(group: UInt32?, users: Set<UInt32> = [0, geteuid()], overflow: UInt32 = 65_534) {
        self.group = group
        self.users = users
        self.overflow = overflow
    }

    /// Looks up the group in `/etc/group`; it need not exist.
    ///
    /// getgrnam(3) is not used: it may ask a directory service in the network and wait for it, and it loads libraries
    /// that cost a third of a megabyte.
    static func current(in kernel: KernelTree = .live) -> Self {
        let overflow = try? OpenFiles().number(in: kernel.path("/proc/sys/kernel/overflowuid"))
        return Self(
            group: (try? KernelFile.text(of: "/etc/group")).flatMap { number(in: $0) },
            overflow: overflow.flatMap { UInt32(exactly: $0) } ?? 65_534
        )
    }

    /// The number of the group in the contents of `/etc/group`: lines of name, password, number and members.
    static func number(in groups: String) -> UInt32? {
        for line in groups.split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count == 4, fields[0] == groupName { return UInt32(fields[2]) }
        }
        return nil
    }

    /// The hosts that a user's peer may warn and command; `groups` are the peer's own, read only if they decide.
    func reach(of uid: UInt32, groups: () -> [UInt32]) -> Client.Reach {
        if users.contains(uid) { return .all }
        if let group, groups().contains(group) { return .all }
        return uid == overflow ? .none : .own
    }
}
