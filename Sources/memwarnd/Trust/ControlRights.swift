import CLinux
import MemoryPressure
import WarningPolicy

/// Which hosts a peer may warn and command.
struct ControlRights {
    /// The group whose members may.
    static let groupName = "memwarnd"

    private let group: UInt32?
    private let users: Set<UInt32>
    private let overflow: UInt32

    /// Root and the daemon's own user may warn all; the members of a group as well, if there is one.
    ///
    /// The overflow uid owns nothing: in a user namespace every user that it does not map has that uid.
    init(group: UInt32?, users: Set<UInt32> = [0, geteuid()], overflow: UInt32 = 65_534) {
        self.group = group
        self.users = users
        self.overflow = overflow
    }

    /// Looks the group up in `/etc/group`, which it need not be in.
    ///
    /// Not by getgrnam(3), which may ask a directory in the network and wait for it, and loads libraries for that: a third of a
    /// megabyte of the daemon's memory.
    static func current(in kernel: KernelTree = .live) -> Self {
        let overflow = try? KernelFile.number(in: kernel.path("/proc/sys/kernel/overflowuid"))
        return Self(
            group: (try? KernelFile.text(of: "/etc/group")).flatMap { number(in: $0) },
            overflow: overflow.flatMap { UInt32(exactly: $0) } ?? 65_534
        )
    }

    /// The number of the group in a text as `/etc/group` is: lines of a name, a password, a number and members.
    static func number(in groups: String) -> UInt32? {
        for line in groups.split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count == 4, fields[0] == groupName { return UInt32(fields[2]) }
        }
        return nil
    }

    /// Which hosts a user's peer may warn and command; `groups` are its own, asked for only if they decide.
    func reach(of uid: UInt32, groups: () -> [UInt32]) -> Client.Reach {
        if users.contains(uid) { return .all }
        if let group, groups().contains(group) { return .all }
        return uid == overflow ? .none : .own
    }
}
