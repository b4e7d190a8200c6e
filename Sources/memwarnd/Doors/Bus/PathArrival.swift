import CLinux
import MemoryPressure
import Systemd

/// Waits until a missing path is created: inotify(7) on the closest existing directory above it.
final class PathArrival {
    private let path: String
    private let inotify: Descriptor
    private let arrived: () -> Void
    private var source: IOSource?
    private var watched: CInt = -1

    /// Begins to wait; `nil` if the path exists already, or cannot be waited for.
    ///
    /// `arrived` is called once, from the loop; this object lives until then, or until the loop has ended.
    init?(of path: String, loop: EventLoop, arrived: @escaping () -> Void) {
        let raw = inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
        guard raw >= 0 else { return nil }
        inotify = Descriptor(taking: raw)
        self.path = path
        self.arrived = arrived
        guard watch() else { return nil }
        source = try? loop.watch(raw, for: .readable) { _ in self.look() }
        if source == nil { return nil }
    }

    deinit {
        // The source has to be dropped before the descriptor is closed.
        source = nil
    }

    private func look() {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(inotify.raw, buffer.baseAddress, buffer.count) > 0 {}
        }
        if watch() { return }
        source = nil
        arrived()
    }

    /// Watches the closest existing directory.
    ///
    /// - Returns: Whether there is still something to wait for: the path does not exist, and a directory can be
    ///   watched.
    private func watch() -> Bool {
        while true {
            // The former watch stays until there is another, so that no event between the two is missed.
            let former = watched
            watched = watchClosest()
            if former >= 0, former != watched { inotify_rm_watch(inotify.raw, former) }
            guard watched >= 0, !KernelFile.exists(path) else { return false }
            // The watch comes first and the check second: a directory that was created meanwhile is closer now.
            if watched == former { return true }
        }
    }

    private func watchClosest() -> CInt {
        // If the directory is removed with its contents, one further up is the closest.
        let mask = UInt32(IN_CREATE) | UInt32(IN_MOVED_TO) | UInt32(IN_DELETE_SELF) | UInt32(IN_ONLYDIR)
        var directory = path[...]
        while let slash = directory.lastIndex(of: "/") {
            directory = directory[..<slash]
            let number = inotify_add_watch(inotify.raw, directory.isEmpty ? "/" : String(directory), mask)
            if number >= 0 { return number }
        }
        return -1
    }
}
