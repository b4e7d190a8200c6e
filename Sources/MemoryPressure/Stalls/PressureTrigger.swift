internal import CLinux

/// A PSI trigger: a descriptor that wakes its poller when stalls reach a threshold within a window.
///
/// Poll it for `POLLPRI` only: a healthy PSI file is always readable. **Test `POLLERR` before `POLLPRI`**: both
/// together mean that the file is dead, because its cgroup was removed or its accounting switched off, and every poll
/// returns them. The kernel sends at most one event a window, and removes the trigger when the descriptor is closed.
///
/// Source: the kernel's Documentation/accounting/psi.rst and kernel/sched/psi.c.
package struct PressureTrigger: ~Copyable {
    private let descriptor: Descriptor

    /// Arms a trigger on a PSI file: `threshold` of stalls of one kind within `window` makes an event.
    ///
    /// - Throws: ``KernelError``. `EINVAL` for a window that is not a multiple of 2 s, and on older kernels `EPERM`,
    ///   mean that the process lacks `CAP_SYS_RESOURCE`; `EROFS` and `EACCES` mean that the file cannot be written
    ///   here.
    package init(
        arming path: String,
        kind: PressureStall.Kind,
        threshold: Duration,
        window: Duration
    ) throws(KernelError) {
        let descriptor = try Descriptor(opening: path, O_RDWR | O_NONBLOCK)
        // The length includes the NUL: /proc overwrites the last written byte with NUL before it parses, so that
        // without it a window of 20 s would be armed as 2 s.
        var command = "\(kind) \(threshold.microseconds) \(window.microseconds)"
        let raw = descriptor.raw
        let failure: CInt = command.withUTF8 { text in
            withUnsafeTemporaryAllocation(byteCount: text.count + 1, alignment: 1) { buffer in
                buffer.copyMemory(from: UnsafeRawBufferPointer(text))
                buffer[text.count] = 0
                let written = retryingInterrupted { write(raw, buffer.baseAddress, buffer.count) }
                return written < 0 ? errno : 0
            }
        }
        guard failure == 0 else {
            throw KernelError("arm the trigger “\(command)” on", path, errno: failure)
        }
        self.descriptor = descriptor
    }

    /// The descriptor to poll; valid while the trigger lives.
    package var fileDescriptor: CInt { descriptor.raw }
}
