internal import CLinux

extension KernelError {
    /// Whether what was tried failed because the file, or the cgroup or process that it is about, is not there any more.
    package var saysGone: Bool {
        switch errno {
        case ENOENT, ENODEV, ENOTDIR, ESRCH, EOPNOTSUPP: true
        default: false
        }
    }

    /// Whether it failed for want of a descriptor or of memory, and may succeed later.
    package var saysShort: Bool {
        switch errno {
        case EMFILE, ENFILE, ENOMEM, ENOSPC: true
        default: false
        }
    }
}
