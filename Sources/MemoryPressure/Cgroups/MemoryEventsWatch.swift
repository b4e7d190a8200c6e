internal import CLinux

/// Says when a cgroup meets one of its memory limits, without privilege and without a timer.
///
/// Poll ``descriptor`` for `POLLPRI`, and call ``read()`` after each event: until then every poll returns at once. The
/// kernel tells of at most 100 changes a second; later ones are delayed and not lost.
///
/// Source: cgroup-v2.rst, `memory.events`; the kernel's kernfs_generic_poll().
package struct MemoryEventsWatch: ~Copyable {
    /// The file.
    package let path: String
    /// What it said when it was opened.
    package let first: MemoryEvents
    private let file: Descriptor

    /// Opens a cgroup's file and reads it, since one that was never read polls as changed.
    ///
    /// - Throws: ``KernelError``; `ENOENT` says that the cgroup is gone, is the root, or has no v2 memory controller.
    package init(_ cgroup: Cgroup) throws(KernelError) {
        let path = cgroup.directory + "/memory.events"
        let file = try Descriptor(opening: path, O_RDONLY)
        first = try Self.read(file.raw, path: path)
        self.path = path
        self.file = file
    }

    /// What to poll for `POLLPRI`, valid as long as this value lives.
    ///
    /// Unlike with PSI files, `POLLERR` comes with every event and says nothing: that the cgroup is gone shows in
    /// ``read()``.
    package var descriptor: CInt { file.raw }

    /// Reads the counts and takes back the event.
    ///
    /// - Throws: ``KernelError``; `ENODEV` says that the cgroup is gone, `EBADMSG` that the text is not what it should be.
    package func read() throws(KernelError) -> MemoryEvents {
        try Self.read(file.raw, path: path)
    }

    private static func read(_ descriptor: CInt, path: @autoclosure () -> String) throws(KernelError) -> MemoryEvents {
        // Some six lines of about 20 bytes each; room for a kernel that adds to them.
        let events = try KernelFile.read(descriptor, path: path(), limit: 1024) { MemoryEvents(parsing: $0) }
        guard let events else { throw KernelError("understand", path(), errno: EBADMSG) }
        return events
    }
}
