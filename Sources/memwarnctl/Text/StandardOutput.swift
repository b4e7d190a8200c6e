import CLinux
import MemoryPressure
import MemwarnProgram

/// Standard output, whose reader gets all of a text, or the command ends otherwise than by saying that it is done.
enum StandardOutput {
    /// Writes lines, at once: a reader at the other end of a pipe wants them now.
    ///
    /// Where nothing reads any more, the process ends quietly, as by SIGPIPE.
    ///
    /// - Throws: A failure with ``ExitStatus/cannotWrite``.
    static func print(_ text: some CustomStringConvertible) throws(Failure) { try write("\(text)\n") }

    /// The same without the end of the line.
    static func write(_ text: String) throws(Failure) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                retryingInterrupted { CLinux.write(STDOUT_FILENO, bytes.baseAddress, bytes.count) }
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EPIPE {
                signal(SIGPIPE, SIG_DFL)
                raise(SIGPIPE)
                exit(ExitStatus.signal(SIGPIPE).rawValue)
            } else if errno == EAGAIN {
                // What started this process reads without waiting, and so writes do not wait either.
                var ready = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            } else {
                let error = KernelError("write to", "standard output", errno: errno)
                throw Failure(message: "\(error); what was printed is not whole", code: .cannotWrite)
            }
        }
    }
}
