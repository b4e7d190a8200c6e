import CLinux
import MemoryPressure
import MemwarnProgram

/// Standard output: its reader gets the complete text, or the command ends with an error.
enum StandardOutput {
    /// Writes lines without buffering: the reader of a pipe wants them at once.
    ///
    /// If no process reads any more, this process ends silently, like by SIGPIPE.
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
                // If the parent process has set the pipe to nonblocking, writes do not wait either.
                var ready = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            } else {
                let error = KernelError("write to", "standard output", errno: errno)
                throw Failure(message: "\(error); what was printed is not whole", code: .cannotWrite)
            }
        }
    }
}
