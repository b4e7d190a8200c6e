internal import CLinux

/// A thread for work that would keep an actor's thread busy, one piece at a time.
///
/// It exists only while there is work, so it costs nothing at rest. Starting it takes some ten microseconds.
package final class WorkThread: Sendable {
    private struct State {
        /// The oldest first.
        var work: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let state = Guarded(State())
    private let start: @Sendable (@escaping @Sendable () -> Void) -> CInt

    /// - Parameter start: Starts a thread, or returns an error number.
    package init(start: @escaping @Sendable (@escaping @Sendable () -> Void) -> CInt = { startDetachedThread($0) }) {
        self.start = start
    }

    /// Runs work after all earlier work; on the calling thread and at once if the process may not have another thread.
    package func perform(_ work: @escaping @Sendable () -> Void) {
        let needsThread = state.withLock { state in
            state.work.append(work)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard needsThread, start({ self.run() }) != 0 else { return }
        run()
    }

    /// Runs until no work is left.
    private func run() {
        while let work = next() { work() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.work.isEmpty else { return state.work.removeFirst() }
            state.isRunning = false
            return nil
        }
    }
}

/// Starts a detached thread that blocks all of the program's signals, except those that a fault of its own causes.
///
/// Its stack has the default size, and 1 MiB at least, because the service's destructors and handlers may run on it.
/// Only touched pages take memory, unless the process locks its future memory.
///
/// - Parameter body: The work of the thread; kept until it returns.
/// - Returns: 0, or the error number if the process may not have another thread; then `body` is not called.
package func startDetachedThread(_ body: @escaping @Sendable () -> Void) -> CInt {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
    var stackSize = 0
    // The default of some C libraries is 128 KiB, which a destructor of nested objects overflows.
    if pthread_attr_getstacksize(&attributes, &stackSize) == 0, stackSize < 1 << 20 {
        pthread_attr_setstacksize(&attributes, 1 << 20)
    }

    // A thread begins with its maker's mask.
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    // The kernel ends a process whose fault has a blocked signal, before a handler can write a backtrace.
    for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS] { sigdelset(&all, signal) }
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

    final class Body {
        let perform: @Sendable () -> Void

        init(_ perform: @escaping @Sendable () -> Void) {
            self.perform = perform
        }
    }
    var thread = pthread_t()
    // The thread takes it over; without a thread it is released here.
    let context = Unmanaged.passRetained(Body(body))
    let result = pthread_create(
        &thread,
        &attributes,
        { context in
            guard let context else { return nil }
            Unmanaged<Body>.fromOpaque(context).takeRetainedValue().perform()
            return nil
        },
        context.toOpaque()
    )
    if result != 0 { context.release() }
    return result
}
