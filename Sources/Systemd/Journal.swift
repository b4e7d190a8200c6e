internal import CLinux

/// The log: structured entries if standard error goes to the journal, otherwise plain lines.
///
/// The initialiser decides which of the two: standard error goes to the journal if `$JOURNAL_STREAM` names its stream.
/// On a terminal, in a container or redirected to a file, an entry is one line of text on standard error, without its
/// fields.
///
/// A message is one line: control characters in it are escaped. An entry that cannot be written is dropped, because the
/// failure cannot be reported. The process has to ignore `SIGPIPE`, or a closed pipe at standard error ends it.
///
/// Writing does not wait for a reader: neither for the journal while its queue is full, nor for the reader of a pipe or
/// a socket. It may wait for a disk, if standard error is a file, and for a stopped terminal. So log after urgent work,
/// with ``EventLoop/deferred(priority:handler:)``.
public struct Journal {
    /// A name, which is a constant of the source code, and a value, which may be any text.
    ///
    /// Names consist of `A` to `Z`, `0` to `9` and `_`, begin with a letter, and have at most 64 characters.
    public typealias Field = (name: StaticString, value: String)

    /// Entries less urgent than this are dropped.
    public var minimum: Priority
    private let prefix: String
    /// The journal, if standard error goes there.
    private let socket: JournalSocket?

    /// A log to the present destination of standard error.
    ///
    /// - Parameters:
    ///   - prefix: The start of every line on standard error, like `memwarnd: `; the journal identifies the program
    ///     itself.
    ///   - minimum: The least urgent priority that is written.
    public init(prefix: String = "", minimum: Priority = .info) {
        self.prefix = prefix
        self.minimum = minimum
        socket = Self.isStandardErrorJournal() ? JournalSocket(path: JournalSocket.path) : nil
    }

    /// A log to the journal that listens at this path, independent of standard error; entries are dropped if none does.
    package init(socket path: String, minimum: Priority = .info) {
        prefix = ""
        self.minimum = minimum
        socket = JournalSocket(path: path)
    }

    /// Writes one entry.
    ///
    /// - Parameters:
    ///   - priority: How urgent it is. Below ``minimum``, message and fields are not evaluated.
    ///   - message: A sentence for people.
    ///   - messageID: Identifies the kind of entry: 32 lower-case hexadecimal digits, the same for all entries of the
    ///     kind.
    ///     `journalctl MESSAGE_ID=…` finds them.
    ///   - fields: Further figures, for the journal only.
    /// - Returns: `false` if the reader is behind: the entry was not written, and may be tried again later. An entry
    ///   that can never be read, since there is no journal or the pipe is closed, is dropped; the result is then
    ///   `true`.
    /// - Precondition: The field names and the message ID are well-formed. All are constants, so a wrong one is a
    ///   mistake in the program that the first entry reveals, with any kind of standard error.
    @discardableResult
    public func log(
        _ priority: Priority,
        _ message: @autoclosure () -> String,
        messageID: StaticString? = nil,
        fields: @autoclosure () -> [Field] = []
    ) -> Bool {
        guard priority <= minimum else { return true }
        let message = message().escapingControlCharacters
        let entry = JournalEntry(priority, message, messageID: messageID, fields: fields())
        return socket?.send(entry.bytes) ?? Self.write("\(prefix)\(message)")
    }

    /// Writes one line to standard error, if that is possible without waiting.
    private static func write(_ line: String) -> Bool {
        var state = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT))
        guard poll(&state, 1, 0) != 0 else { return false }
        // A pipe or socket that has room at all has room for PIPE_BUF bytes (pipe(7)); longer lines are cut. One
        // write(2), so that lines of several processes do not mix.
        let bytes = line.utf8.prefix(Int(PIPE_BUF) - 1) + [UInt8(ascii: "\n")]
        return CLinux.write(STDERR_FILENO, Array(bytes), bytes.count) >= 0 || errno != EAGAIN
    }

    /// Whether standard error is the stream that `$JOURNAL_STREAM` names by device and inode.
    ///
    /// The variable alone proves nothing: a child with a different standard error inherits it too. See systemd.exec(5).
    private static func isStandardErrorJournal() -> Bool {
        guard let stream = getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        guard fstat(STDERR_FILENO, &status) == 0 else { return false }
        return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
    }
}
