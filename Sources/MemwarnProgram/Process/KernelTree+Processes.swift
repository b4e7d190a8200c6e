package import MemoryPressure

extension KernelTree {
    /// The advice to users if ``showsAllProcesses`` is `false`.
    package static let adviceToShowProcesses = """
        mount /proc with hidepid=off, or with the gid= of a group that the daemon's unit has in SupplementaryGroups=, \
        or give the unit CAP_SYS_PTRACE; and leave ProtectProc= out of it
        """

    /// Whether `/proc` shows this process the processes of other users as well: proc(5), `hidepid=`.
    ///
    /// The first process belongs to root and exists as long as the machine or the container.
    package var showsAllProcesses: Bool { KernelFile.exists(cgroups(of: .pid(1))) }

    /// The `hidepid=` option of the mount of `/proc`, from the text of mountinfo; `nil` if it hides nothing, or a group
    /// may see everything.
    package static func hiding(inMountinfo mountinfo: String) -> String? {
        var hiding: String?
        for line in mountinfo.split(separator: "\n") {
            // id, parent, device, root, mount point, options, optional fields …, "-", type, source, options
            let fields = line.split(separator: " ")
            guard let dash = fields.dropFirst(6).firstIndex(of: "-"), fields.endIndex > dash + 3,
                fields[4] == "/proc", fields[dash + 1] == "proc"
            else { continue }
            let options = fields[dash + 3].split(separator: ",")
            let isOpen = options.contains {
                $0.hasPrefix("gid=") && $0 != "gid=0" || $0 == "hidepid=0" || $0 == "hidepid=off"
            }
            // If several mounts share the mount point, the last one counts.
            hiding = isOpen ? nil : options.first { $0.hasPrefix("hidepid=") }.map(String.init)
        }
        return hiding
    }
}
