import CLinux
import MemoryPressure

extension SensorPlace {
    /// The place with this name: `host` or `/`, or the path of a cgroup.
    ///
    /// - Throws: ``KernelError``; `ENOENT` means that the cgroup does not exist.
    init(named name: String, in tree: KernelTree) throws(KernelError) {
        guard name != "host", name != "/" else {
            self = .host
            return
        }
        let mounts = CgroupMount.all(inMountinfo: try KernelFile.text(of: tree.mountinfo))
        guard
            let directory = mounts.lazy.compactMap({ $0.directory(of: name) }).map(tree.path).first(
                where: KernelFile.exists
            )
        else { throw KernelError("find the cgroup", name, errno: ENOENT) }
        let cgroup = Cgroup(path: name, directory: directory)
        if KernelFile.exists(directory + "/memory.current") {
            self.init(cgroup: cgroup, memory: MemoryCgroup(cgroup))
            return
        }
        // If v1 has the memory controller, only a process of the cgroup shows where its memory is charged.
        let first = try KernelFile.text(of: directory + "/cgroup.procs").split(separator: "\n").first
        let memory = first.flatMap { UInt32($0) }.flatMap { try? MemoryCgroup.of(.pid($0), in: tree) }
        self.init(cgroup: cgroup, memory: memory)
    }
}
