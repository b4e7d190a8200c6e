internal import CLinux

/// Becomes readable when one of the files is written, by inotify(7), which reports writes to cgroup files like any
/// others.
///
/// It sees only writes through the same mount, so limits are also read at each warning. Without descriptors left, or
/// without files, it never becomes readable.
struct LimitWatch: ~Copyable {
    /// The descriptor to poll; -1, which poll(2) ignores, if there is nothing to watch.
    let descriptor: CInt

    init(_ files: [String]) {
        descriptor = files.isEmpty ? -1 : inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
        for file in files where descriptor >= 0 { inotify_add_watch(descriptor, file, UInt32(IN_MODIFY)) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Discards the pending events; their content does not matter.
    func drain() {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
    }
}
