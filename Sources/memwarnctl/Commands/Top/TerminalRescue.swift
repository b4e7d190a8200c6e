import CLinux
import Synchronization

/// Restores the terminal, also when this program crashes.
///
/// A shell whose terminal shows neither input nor a cursor is worse than a crash. A signal handler may use very little,
/// so its data is allocated in advance and found by an address.
enum TerminalRescue {
    private struct Saved {
        var modes: termios
        var farewell: StaticString
    }

    /// The address of a `Saved`, which is never freed; 0 while there is nothing to restore.
    private static let saved = Atomic<UInt>(0)

    /// Remembers the modes, and restores them before a crash ends the process.
    static func arm(_ modes: termios, saying farewell: StaticString) {
        let memory = UnsafeMutablePointer<Saved>.allocate(capacity: 1)
        memory.initialize(to: Saved(modes: modes, farewell: farewell))
        saved.store(UInt(bitPattern: memory), ordering: .relaxed)
        for number in [SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE] {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { number in
                TerminalRescue.restore()
                // With its handler reset, it ends the process as soon as this one returns.
                raise(number)
            }
            action.sa_flags = CInt(bitPattern: UInt32(SA_RESETHAND))
            sigaction(number, &action, nil)
        }
    }

    /// Restores the remembered modes, once; safe in a signal handler.
    static func restore() {
        let address = saved.exchange(0, ordering: .relaxed)
        guard let memory = UnsafePointer<Saved>(bitPattern: address) else { return }
        let farewell = memory.pointee.farewell
        _ = write(STDOUT_FILENO, farewell.utf8Start, farewell.utf8CodeUnitCount)
        withUnsafePointer(to: memory.pointee.modes) { _ = tcsetattr(STDOUT_FILENO, TCSADRAIN, $0) }
    }
}
