internal import CLinux

extension KernelError {
    /// Whether the operation failed because the file, or the cgroup or process that it describes, no longer exists.
    package var meansGone: Bool {
        switch errno {
        case ENOENT, ENODEV, ENOTDIR, ESRCH, EOPNOTSUPP: true
        default: false
        }
    }

    /// Whether the operation failed for lack of descriptors or memory, and may succeed later.
    package var isTemporary: Bool {
        switch errno {
        case EMFILE, ENFILE, ENOMEM, ENOSPC: true
        default: false
        }
    }
}
