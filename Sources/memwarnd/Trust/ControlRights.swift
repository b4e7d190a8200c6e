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

    /// Looks the group up, which need not be there.
    ///
    /// May block: for the start and for reloads.
    static func current(in kernel: KernelTree = .live) -> Self {
        var entry = CLinux.group()
        var found: UnsafeMutablePointer<CLinux.group>?
        // The members' names have to fit, though they are not looked at: who belongs to it is in each peer's credentials.
        var text = [CChar](repeating: 0, count: 65_536)
        let result = getgrnam_r(groupName, &entry, &text, text.count, &found)
        let overflow = try? KernelFile.number(in: kernel.path("/proc/sys/kernel/overflowuid"))
        return Self(
            group: result == 0 && found != nil ? entry.gr_gid : nil,
            overflow: overflow.flatMap { UInt32(exactly: $0) } ?? 65_534
        )
    }

    /// Which hosts a user's peer may warn and command; `groups` are its own, asked for only if they decide.
    func reach(of uid: UInt32, groups: () -> [UInt32]) -> Client.Reach {
        if users.contains(uid) { return .all }
        if let group, groups().contains(group) { return .all }
        return uid == overflow ? .none : .own
    }
}
