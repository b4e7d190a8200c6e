import CLinux
import MemoryPressure
import MemwarnProtocol

/// Who may warn and command the hosts of other users.
struct ControlRights {
    /// The group whose members may.
    static let groupName = "memwarnd"

    private let group: UInt32?
    private let users: Set<UInt32>

    /// Root and the daemon's own user may; the members of a group as well, if there is one.
    init(group: UInt32?, users: Set<UInt32> = [0, geteuid()]) {
        self.group = group
        self.users = users
    }

    /// Looks the group up, which need not be there.
    ///
    /// May block: for the start and for reloads.
    static func current() -> Self {
        var entry = CLinux.group()
        var found: UnsafeMutablePointer<CLinux.group>?
        // The members' names have to fit, though they are not looked at: who belongs to it is in each peer's credentials.
        var text = [CChar](repeating: 0, count: 65_536)
        let result = getgrnam_r(groupName, &entry, &text, text.count, &found)
        return Self(group: result == 0 && found != nil ? entry.gr_gid : nil)
    }

    /// Whether a peer may warn and command everybody's hosts; `groups` are its own, asked for only if they decide.
    func coverEverybody(for uid: UInt32, groups: () -> [UInt32]) -> Bool {
        if users.contains(uid) { return true }
        guard let group else { return false }
        return groups().contains(group)
    }
}
