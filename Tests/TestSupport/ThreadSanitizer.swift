internal import CLinux

/// Whether these tests run under the thread sanitizer.
///
/// It does not see a contended `Mutex` of the Synchronization module change hands on Linux, which happens in the kernel
/// (`FUTEX_LOCK_PI`), and reports races in whatever the mutex guards. And its own allocator keeps freed memory.
public let isUnderThreadSanitizer = dlsym(nil, "__tsan_init") != nil
