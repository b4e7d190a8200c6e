import MemoryPressure
import MemwarnProgram
import MemwarnProtocol

extension Diagnosis {
    static func cgroups(_ seen: Surroundings) -> [Finding] {
        let mounts: [CgroupMount]
        do {
            mounts = try seen.cgroupMounts.get()
        } catch {
            return [.bad("cgroups", "\(error)", "only the machine is watched; is /proc mounted?")]
        }
        guard let mount = mounts.first else {
            return [
                .degraded(
                    "cgroups",
                    "no cgroup v2 hierarchy is mounted, so that only the machine is watched",
                    "boot with systemd.unified_cgroup_hierarchy=1"
                )
            ]
        }
        return [hierarchy(mount, seen), controller(seen), own(seen), other(seen), processes(seen)]
    }

    private static func hierarchy(_ mount: CgroupMount, _ seen: Surroundings) -> Finding {
        let place = mount.directory.escapedForDisplay
        guard seen.isMemoryVersionOne else { return .good("cgroups", "version 2 at \(place)") }
        return .degraded(
            "cgroups",
            "a hybrid hierarchy: version 2 at \(place), and memory limits are version 1's",
            "boot with systemd.unified_cgroup_hierarchy=1"
        )
    }

    private static func controller(_ seen: Surroundings) -> Finding {
        guard seen.controllers.contains("memory") else {
            return .degraded(
                "memory controller",
                "not on version 2, so that there is no memory.events, memory.high and memory.max",
                "boot with systemd.unified_cgroup_hierarchy=1, and without cgroup_disable=memory"
            )
        }
        guard !seen.hasOwnEvents, seen.ownCgroup?.isHierarchyRoot == false else {
            return .good("memory controller", "on version 2: limits and their events can be watched")
        }
        return .degraded(
            "memory controller",
            "on version 2, but not passed on to this cgroup, which has no memory.events",
            "MemoryAccounting=yes in the unit, or +memory in cgroup.subtree_control above"
        )
    }

    private static func own(_ seen: Surroundings) -> Finding {
        guard let own = seen.ownCgroup else {
            return .degraded(
                "own cgroup",
                "this process's cgroup cannot be seen from here",
                "mount the cgroup hierarchy in this container or namespace"
            )
        }
        let path = own.path.escapedForDisplay
        switch seen.ownPressure {
        case .failed(let error):
            return .degraded(
                "own cgroup",
                "\(path): \("\(error)".escapedForDisplay)",
                "write 1 to its cgroup.pressure if that is there, and boot with psi=1"
            )
        case .worked, nil: return .good("own cgroup", "\(path), and its stalls can be read")
        }
    }

    private static func other(_ seen: Surroundings) -> Finding {
        guard let (path, attempt) = seen.otherPressure else {
            return .good("other cgroups", "there is no other to try a trigger on")
        }
        switch attempt {
        case .worked: return .good("other cgroups", "a trigger can be armed on \(path.escapedForDisplay)")
        case .failed(let error):
            return .degraded("other cgroups", "\(error)".escapedForDisplay, writingAdvice(error))
        }
    }

    /// A daemon finds the scope of a host by the cgroup of its process.
    private static func processes(_ seen: Surroundings) -> Finding {
        if let hiding = seen.hiding {
            return .degraded(
                "processes",
                """
                /proc hides those of other users (\(hiding.escapedForDisplay)) from a daemon that is not root, so that their \
                hosts are warned of the whole machine's pressure only
                """,
                KernelTree.adviceToShowProcesses
            )
        }
        guard seen.seesAllProcesses == false else { return .good("processes", "all of the machine's can be seen") }
        return .degraded(
            "processes",
            "those of other containers cannot be seen, so that they are warned of the whole machine's pressure only",
            "run with the machine's pid namespace: hostPID: true in a pod, --pid=host of docker and podman"
        )
    }
}
