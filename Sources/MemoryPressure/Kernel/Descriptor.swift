internal import CLinux

/// An open file descriptor that is closed when it goes out of scope.
///
/// Borrow ``raw`` for a call; nothing else may close it.
package struct Descriptor: ~Copyable {
    /// The number the kernel knows it by, valid as long as this value lives.
    package let raw: CInt

    /// Takes over a descriptor that nothing else will close.
    package init(taking raw: CInt) {
        self.raw = raw
    }

    /// Opens `path` with `O_CLOEXEC` added to the flags.
    ///
    /// - Throws: ``KernelError`` with open(2)'s errno.
    package init(opening path: String, _ flags: CInt) throws(KernelError) {
        let raw = retryingInterrupted { open(path, flags | O_CLOEXEC) }
        guard raw >= 0 else {
            let purpose = flags & (O_WRONLY | O_RDWR) == 0 ? "open" : "open for writing"
            throw KernelError(purpose, path, errno: errno)
        }
        self.raw = raw
    }

    deinit {
        close(raw)
    }

    /// Gives the number away; what takes it closes it.
    package consuming func take() -> CInt {
        let raw = raw
        discard self
        return raw
    }
}

/// Repeats a system call for as long as a signal interrupts it; errno is the last call's.
package func retryingInterrupted<Count: SignedInteger>(_ call: () -> Count) -> Count {
    while true {
        let result = call()
        if result == -1 && errno == EINTR { continue }
        return result
    }
}
