internal import CLinux

/// Closes descriptors on a separate thread: the last close of some files takes the kernel tens of milliseconds, which
/// would block the event loop.
///
/// The thread starts with the first descriptor and ends with this object, after it has closed all its descriptors. If
/// the thread cannot be started, or is thousands of descriptors behind, the calling thread closes them.
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

    /// A closer without a thread.
    public init() {}

    /// Takes ownership of a descriptor and closes it.
    public func close(_ fd: CInt) {
        let work = Work(fd: fd, discardsUnread: false)
        if !hand(work) { work.perform() }
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
    /// Afterwards the caller's descriptor refers to no connection, and the caller closes it.
    ///
    /// Linux resets a connection that is closed with packets unread: the other end's next call would fail with
    /// `ECONNRESET` before it could read the last message. Packets that the other end sends from now on fail with
    /// `EPIPE`.
    public func discardUnread(of connection: CInt) {
        shutdown(connection, CInt(SHUT_RD))
        let duplicate = fcntl(connection, F_DUPFD_CLOEXEC, 0)
        if thread == nil { thread = Self.start() }
        guard duplicate >= 0, let thread else {
            drop_packets(connection)
            if duplicate >= 0 { CLinux.close(duplicate) }
            return
        }
        // Otherwise, if the thread is done first, the caller would make the expensive last close.
        dup2(thread.queue, connection)
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        let work = Work(fd: duplicate, discardsUnread: true)
        if !hand(work) { work.perform() }
    }

    /// - Returns: Whether the thread accepted it.
    private func hand(_ work: Work) -> Bool {
        if thread == nil { thread = Self.start() }
        return thread?.hand(work.bits) ?? false
    }

    private static func start() -> WorkerThread? {
        WorkerThread(stackSize: 64 << 10) { Work($0).perform() }
    }
}
