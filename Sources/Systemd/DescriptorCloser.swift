internal import CLinux

/// Closes descriptors on a thread that does nothing else: the last close of some files takes the kernel tens of milliseconds,
/// and the event loop would stand still for as long.
///
/// The thread starts with the first descriptor and ends with this object, once it has closed all that it was handed. Where it
/// cannot be made, or is thousands of descriptors behind, they are closed in the thread that calls.
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
                // The service manager may have a duplicate, and the other end is to see that it is over.
                shutdown(fd, CInt(SHUT_RDWR))
            }
            CLinux.close(fd)
        }
    }

    private var thread: WorkerThread?

    /// A closer without a thread.
    public init() {}

    /// Closes a descriptor, which is the closer's from now on.
    public func close(_ fd: CInt) {
        let work = Work(fd: fd, discardsUnread: false)
        if !hand(work) { work.perform() }
    }

    /// Closes the files behind descriptors that `letGo` closes: what it costs to close the last one of each, the thread pays.
    public func closeLast(of descriptors: [CInt], after letGo: () -> Void) {
        // Without a duplicate, for lack of descriptors, the caller closes it itself.
        let duplicates = descriptors.map { fcntl($0, F_DUPFD_CLOEXEC, 0) }
        letGo()
        for duplicate in duplicates where duplicate >= 0 { close(duplicate) }
    }

    /// Takes nothing more from a connection, and drops what is in its queue, with the descriptors that were passed; what is
    /// behind the caller's descriptor from now on is no connection, and the caller closes that.
    ///
    /// Linux resets a connection that is closed with packets unread: the other end's next call would fail with `ECONNRESET`
    /// where it could have read what it was told last. What the other end sends from now on fails with `EPIPE`.
    public func discardUnread(of connection: CInt) {
        shutdown(connection, CInt(SHUT_RD))
        let duplicate = fcntl(connection, F_DUPFD_CLOEXEC, 0)
        if thread == nil { thread = Self.start() }
        guard duplicate >= 0, let thread else {
            drop_packets(connection)
            if duplicate >= 0 { CLinux.close(duplicate) }
            return
        }
        // Else the caller's would be the last one where the thread is done first, and the caller would pay for what is left.
        dup2(thread.queue, connection)
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        let work = Work(fd: duplicate, discardsUnread: true)
        if !hand(work) { work.perform() }
    }

    /// - Returns: Whether the thread has it.
    private func hand(_ work: Work) -> Bool {
        if thread == nil { thread = Self.start() }
        return thread?.hand(work.bits) ?? false
    }

    private static func start() -> WorkerThread? {
        WorkerThread(stackSize: 64 << 10) { Work($0).perform() }
    }
}
