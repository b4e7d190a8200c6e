internal import CLinux

/// Closes descriptors on a thread that does nothing else: the last close of some files takes the kernel tens of milliseconds,
/// and the event loop would stand still for as long.
///
/// The thread starts with the first descriptor and ends with this object, once it has closed all that it was handed. Where it
/// cannot be made, or is hundreds of descriptors behind, they are closed in the thread that calls.
public final class DescriptorCloser {
    private struct Work {
        var fd: CInt
        var discardsUnread: Bool

        func perform() {
            if discardsUnread {
                DescriptorCloser.empty(fd)
                // The service manager may have a duplicate, and the other end is to see that it is over.
                shutdown(fd, CInt(SHUT_RDWR))
            }
            CLinux.close(fd)
        }
    }

    /// The writing end of the thread's queue, once there is a thread.
    private var queue: CInt?

    /// A closer without a thread.
    public init() {}

    deinit {
        if let queue { CLinux.close(queue) }
    }

    /// Closes a descriptor, which is the closer's from now on.
    public func close(_ fd: CInt) {
        let work = Work(fd: fd, discardsUnread: false)
        if !hand(work) { work.perform() }
    }

    /// Closes the files behind descriptors that `letGo` closes: what it costs to close the last one of each, the thread pays.
    public func closeLast(of descriptors: [CInt], after letGo: () -> Void) {
        // Without a duplicate, for lack of descriptors, it is the caller that pays.
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
        if queue == nil { queue = Self.start() }
        guard duplicate >= 0, let queue else {
            Self.empty(connection)
            if duplicate >= 0 { CLinux.close(duplicate) }
            return
        }
        // Else the caller's would be the last one where the thread is done first, and the caller would pay for what is left.
        dup2(queue, connection)
        _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
        let work = Work(fd: duplicate, discardsUnread: true)
        if !hand(work) { work.perform() }
    }

    /// Drops what is in the queue of a connection that takes nothing more.
    private static func empty(_ connection: CInt) {
        // An empty packet looks like the end, which is reported again and again, as what went wrong is once. No queue has
        // room for so many empty packets.
        var ends = 0
        while ends < 1_024 {
            let count = recv(connection, nil, 0, CInt(MSG_DONTWAIT | MSG_TRUNC))
            if count < 0, errno == EAGAIN { return }
            if count <= 0 { ends += 1 }
        }
    }

    /// - Returns: Whether the thread has it.
    private func hand(_ work: Work) -> Bool {
        if queue == nil { queue = Self.start() }
        guard let queue else { return false }
        // So few bytes a pipe takes all or none of.
        return withUnsafeBytes(of: work) { write(queue, $0.baseAddress, $0.count) } > 0
    }

    /// Starts the thread.
    ///
    /// - Returns: Where it is handed its work, or `nil` if there are no descriptors or there is no memory for it.
    private static func start() -> CInt? {
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        // A page, the least that the kernel makes one of: each descriptor in it is of the process's limit.
        _ = fcntl(ends[1], setPipeSize, 1)

        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 64 << 10)
        // A thread begins with its maker's mask, and the signals are for the loop.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        var thread = pthread_t()
        let context = UnsafeMutableRawPointer(bitPattern: Int(ends[0]))
        let result = pthread_create(&thread, &attributes, { DescriptorCloser.run(CInt(Int(bitPattern: $0))) }, context)
        guard result == 0 else {
            for end in ends { CLinux.close(end) }
            return nil
        }
        return ends[1]
    }

    /// The thread: until the other end of its queue is closed.
    private static func run(_ queue: CInt) -> UnsafeMutableRawPointer? {
        var work = Work(fd: -1, discardsUnread: false)
        while withUnsafeMutableBytes(of: &work, { read(queue, $0.baseAddress, $0.count) }) > 0 { work.perform() }
        CLinux.close(queue)
        return nil
    }

    /// `F_SETPIPE_SZ`, which the C library declares for GNU's dialect only.
    private static let setPipeSize: CInt = 1_031
}
