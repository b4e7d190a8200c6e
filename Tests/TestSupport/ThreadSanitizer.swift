internal import CLinux

/// Whether these tests run under the thread sanitizer.
///
/// The sanitizer does not detect that a contended `Mutex` of the Synchronization module changes its owner on Linux, which happens
/// in the kernel (`FUTEX_LOCK_PI`), and reports races in the state that the mutex guards. Its own allocator keeps freed memory.
public let isUnderThreadSanitizer = dlsym(nil, "__tsan_init") != nil
