internal import CLinux

/// Reports when a cgroup reaches one of its memory limits, without privileges and without a timer.
///
/// Poll ``descriptor`` for `POLLPRI`, and call ``read()`` after each event: until then every poll returns at once. The
/// kernel reports at most 100 changes a second; further changes are delayed, not lost.
///
/// Source: cgroup-v2.rst, `memory.events`; the kernel's kernfs_generic_poll().
package struct MemoryEventsWatch: ~Copyable {
    /// The file.
    package let path: String
    /// The counts at the time when the file was opened.
    package let first: MemoryEvents
    private let file: Descriptor

    /// Opens a cgroup's file and reads it, since poll(2) reports a file that was never read as changed.
    ///
    /// - Throws: ``KernelError``; `ENOENT` means that the cgroup is gone, is the root, or has no v2 memory controller.
    package init(_ cgroup: Cgroup) throws(KernelError) {
        let path = cgroup.directory + "/memory.events"
        let file = try Descriptor(opening: path, O_RDONLY)
        first = try Self.read(file.raw, path: path)
        self.path = path
        self.file = file
    }

    /// The descriptor to poll for `POLLPRI`, valid as long as this value lives.
    ///
    /// Unlike with PSI files, `POLLERR` accompanies every event and means nothing: whether the cgroup is gone is found
    /// by ``read()``.
    package var descriptor: CInt { file.raw }

    /// Reads the counts and clears the event.
    ///
    /// - Throws: ``KernelError``; `ENODEV` means that the cgroup is gone, `EBADMSG` that the text is malformed.
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
