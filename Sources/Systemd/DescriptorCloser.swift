internal import CLinux

/// Closes descriptors on a separate thread: the last close of some files takes the kernel tens of milliseconds, which
/// would block the event loop.
///
/// The thread starts with the first descriptor and ends with this object, after it has closed all its descriptors. Its
/// queue has room for as many descriptors as the process may have open. If the thread cannot be started, the calling
/// thread closes them.
public final class DescriptorCloser {
    private struct Work {
        var fd: CInt
        var discardsUnread: Bool

        init(fd: CInt, discardsUnread: Bool) {
            (self.fd, self.discardsUnread) = (fd, discardsUnread)
        }

        init(_ bits: UInt64) {
            self.init(fd: CInt(truncatingIfNeeded: bits), discardsUnread: bits >> 32 != 0)
        }

        var bits: UInt64 { UInt64(UInt32(bitPattern: fd)) | (discardsUnread ? 1 << 32 : 0) }

        func perform() {
            if discardsUnread {
                drop_packets(fd)
                // The service manager may have a duplicate, and the other end has to notice the end of the connection.
                shutdown(fd, CInt(SHUT_RDWR))
            }
            CLinux.close(fd)
        }
    }

    private var thread: WorkerThread?
    private let patience: Int

    /// A closer without a thread, which takes no connection while more than `patience` descriptors wait.
    ///
    /// A flood of refused connections stays far below the number of descriptors that the process may have open.
    public init(patience: Int = 1_024) {
        self.patience = patience
    }

    /// Takes ownership of a descriptor and closes it.
    public func close(_ fd: CInt) {
        let work = Work(fd: fd, discardsUnread: false)
        if !hand(work) { work.perform() }
    }

    /// Takes ownership of a connection from which nothing was read and closes it; if the thread is far behind, on the
    /// calling one.
    public func closeUnread(_ fd: CInt) {
        if let thread, thread.waiting > patience { CLinux.close(fd) } else { close(fd) }
    }

    /// Closes the files behind descriptors that `letGo` closes, so that the expensive last close of each happens on the
    /// thread.
    public func closeLast(of descriptors: [CInt], after letGo: () -> Void) {
        // If no duplicate can be made, for lack of descriptors, the caller makes the last close.
        let duplicates = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
        letGo()
        for duplicate in duplicates where duplicate >= 0 { close(duplicate) }
    }

    /// Ends the receiving side of a connection and drops its queue, with the descriptors that were passed.
    ///
    /// Afterwards the caller's descriptor refers to no connection, and the caller closes it. Only if the thread is far
    /// behind, or there is no descriptor left, it still refers to the connection: the caller closes that, and the other
    /// end may miss the last message.
    ///
    /// A stream is closed with its queue: its other end is sent no message that it could miss.
    ///
    /// Linux resets a connection that is closed with packets unread: the other end's next call would fail with
    /// `ECONNRESET` before it could read the last message. Packets that the other end sends from now on fail with
    /// `EPIPE`.
    public func discardUnread(of connection: CInt) {
        if thread == nil { thread = Self.start() }
        guard let thread, thread.waiting <= patience else { return }
        let duplicate = fcntl(connection, F_DUPFD_CLOEXEC, 0)
        guard duplicate >= 0 else { return }
        shutdown(connection, CInt(SHUT_RD))
        // Otherwise, if the thread is done first, the caller would make the expensive last close.
        dup2(thread.queue, connection)
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        if !thread.hand(Work(fd: duplicate, discardsUnread: true).bits) { CLinux.close(duplicate) }
    }

    /// - Returns: Whether the thread accepted it.
    private func hand(_ work: Work) -> Bool {
        if thread == nil { thread = Self.start() }
        return thread?.hand(work.bits) ?? false
    }

    private static func start() -> WorkerThread? {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return WorkerThread(stackSize: 64 << 10, room: Int(clamping: limit.rlim_cur)) { Work($0).perform() }
    }
}
