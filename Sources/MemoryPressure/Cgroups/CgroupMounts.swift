internal import CLinux

/// The mounts of cgroup hierarchies: read at the first request, and again only after something was mounted or
/// unmounted.
///
/// A host of containers has thousands of mounts, and reading them all takes milliseconds. If nothing has changed, a
/// request costs one poll(2). Nothing waits for a change, so no change wakes the process. The mounts are those of the
/// mount namespace in which the process made its first request. Used by one thread at a time.
package final class CgroupMounts {
    /// The kernel tree whose mounts are read.
    let tree: KernelTree
    private var file: Descriptor?
    private var known: (unified: [CgroupMount], memoryV1: [CgroupMount])?

    /// Reads nothing yet.
    package init(in tree: KernelTree = .live) {
        self.tree = tree
    }

    /// The mounts of a hierarchy, in the order of mountinfo.
    ///
    /// - Throws: ``KernelError`` with the errno of open(2) or read(2).
    package func all(of hierarchy: CgroupMount.Hierarchy) throws(KernelError) -> [CgroupMount] {
        let mounts = try current()
        return switch hierarchy {
        case .unified: mounts.unified
        case .memoryV1: mounts.memoryV1
        }
    }

    private func current() throws(KernelError) -> (unified: [CgroupMount], memoryV1: [CgroupMount]) {
        if let known, !haveChanged { return known }
        known = nil
        if file == nil { file = try Descriptor(opening: tree.mountinfo, O_RDONLY) }
        let text = try KernelFile.text(file?.raw ?? -1, path: tree.mountinfo)
        let mounts = (
            unified: CgroupMount.all(inMountinfo: text), memoryV1: CgroupMount.all(inMountinfo: text, of: .memoryV1)
        )
        known = mounts
        return mounts
    }

    /// Whether something was mounted or unmounted since the last query, or since the file was opened.
    ///
    /// The query clears the event, so it has to precede the reading: a change in between makes another event. See
    /// proc(5).
    private var haveChanged: Bool {
        var request = pollfd(fd: file?.raw ?? -1, events: Int16(POLLPRI), revents: 0)
        return poll(&request, 1, 0) > 0 && request.revents & Int16(POLLPRI | POLLERR) != 0
    }
}
