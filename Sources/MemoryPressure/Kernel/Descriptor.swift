internal import CLinux

// Usable from inline code, so that other modules see its deinit when they are compiled as Embedded Swift.
/// An open file descriptor that is closed when it goes out of scope.
///
/// Borrow ``raw`` for a call; nothing else may close it.
@usableFromInline package struct Descriptor: ~Copyable, Sendable {
    /// The kernel's number for it, valid as long as this value lives.
    package private(set) var raw: CInt

    // Embedded Swift does not take `discard self`, unless the type is frozen.
    /// The number that remains after the descriptor was given away.
    private static var none: CInt { -1 }

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
        if raw != Self.none { close(raw) }
    }

    /// Gives the number away; the new owner closes it.
    package consuming func take() -> CInt {
        defer { raw = Self.none }
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
