internal import CLinux

/// The mounts of cgroup hierarchies: read when they are asked for, and again only when something was mounted or unmounted.
///
/// A host of containers has thousands of mounts, and to read them all takes milliseconds. Where nothing has changed, asking
/// costs one poll(2). Nothing waits for a change, so that nothing is woken by one. They are those of the mount namespace
/// that the process was in when it asked first. Used by one thread at a time.
package final class CgroupMounts {
    /// Where they are looked for.
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

    /// Whether something was mounted or unmounted since this was asked last, or the file opened.
    ///
    /// Asking takes the news, so that it has to come before reading: what changes in between is news again. See proc(5).
    private var haveChanged: Bool {
        var request = pollfd(fd: file?.raw ?? -1, events: Int16(POLLPRI), revents: 0)
        return poll(&request, 1, 0) > 0 && request.revents & Int16(POLLPRI | POLLERR) != 0
    }
}
