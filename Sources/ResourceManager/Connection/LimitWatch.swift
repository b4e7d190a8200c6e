internal import CLinux

/// Becomes readable when one of the files is written: inotify(7), which tells of writes to cgroup files as to any others.
///
/// Only of writes through the same mount, so limits are read at each warning besides. Without descriptors left, or
/// without files, it never becomes readable.
struct LimitWatch: ~Copyable {
    /// To be polled; -1, which poll(2) ignores, if there is nothing to watch.
    let descriptor: CInt

    init(_ files: [String]) {
        descriptor = files.isEmpty ? -1 : inotify_init1(CInt(IN_CLOEXEC | IN_NONBLOCK))
        for file in files where descriptor >= 0 { inotify_add_watch(descriptor, file, UInt32(IN_MODIFY)) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Takes the events that are there, which say nothing more than that they came.
    func drain() {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
            while read(descriptor, buffer.baseAddress, buffer.count) > 0 {}
        }
    }
}
