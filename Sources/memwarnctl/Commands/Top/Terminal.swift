import CLinux
import MemoryPressure
import MemwarnProgram

/// The size of the terminal, in characters.
struct TerminalSize: Equatable {
    var columns: Int
    var rows: Int
}

/// The terminal at standard output, used as a full screen until ``leave()``.
///
/// Input comes byte by byte and is not shown; Ctrl-C and Ctrl-Z send their signals as always.
final class Terminal {
    /// The alternate screen, no cursor, and no wrapping of long lines.
    private static let entering: StaticString = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l"
    private static let leaving: StaticString = "\u{1b}[?7h\u{1b}[?25h\u{1b}[?1049l"

    private let colours: Bool
    private var isEntered = false

    /// Whether standard output is a terminal that understands escape sequences.
    static var isCapable: Bool {
        isatty(STDOUT_FILENO) == 1 && !["", "dumb"].contains(ProcessEnvironment.variable("TERM") ?? "")
    }

    /// Creates the object without changing the terminal; ``enter()`` does that.
    init() {
        // https://no-color.org: present and not empty.
        colours = (ProcessEnvironment.variable("NO_COLOR") ?? "").isEmpty
    }

    deinit {
        leave()
    }

    /// Shows the screen.
    ///
    /// - Throws: ``Failure`` if the terminal's modes cannot be changed.
    func enter() throws(Failure) {
        guard !isEntered else { return }
        var modes = termios()
        guard tcgetattr(STDOUT_FILENO, &modes) == 0 else {
            throw .software("\(KernelError("read the modes of", "the terminal", errno: errno))")
        }
        TerminalRescue.arm(modes, saying: Self.leaving)
        isEntered = true
        modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
        // Otherwise Ctrl-C drops output that the terminal has not read yet, such as the end of a frame: then it would
        // not paint any more.
        modes.c_lflag |= tcflag_t(NOFLSH)
        guard tcsetattr(STDOUT_FILENO, TCSAFLUSH, &modes) == 0 else {
            throw .software("\(KernelError("change the modes of", "the terminal", errno: errno))")
        }
        write("\(Self.entering)")
    }

    /// Gives the terminal back as it was; does nothing a second time.
    func leave() {
        guard isEntered else { return }
        isEntered = false
        TerminalRescue.restore()
    }

    /// Its present size; the classic 80 by 24 if it is unknown.
    var size: TerminalSize {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return TerminalSize(columns: 80, rows: 24)
        }
        return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
    }

    /// Shows these lines and nothing else, in one write.
    func draw(_ lines: [StyledText]) {
        // Terminals that support these sequences do not paint between the first and the last one. Each line overwrites
        // the old one, and the rest of the old line is removed after it: clearing it first would flicker.
        var frame = "\u{1b}[?2026h\u{1b}[H"
        let (width, height) = (size.columns, size.rows)
        for (row, line) in lines.prefix(height).enumerated() {
            frame += row == 0 ? "" : "\r\n"
            frame += colours ? line.escaped : line.text
            // At the right margin the cursor is on the last character, which would be removed.
            frame += line.count < width ? "\u{1b}[K" : ""
        }
        write(frame + "\u{1b}[?2026l")
    }

    private func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var sent = 0
            while sent < bytes.count {
                let count = retryingInterrupted {
                    CLinux.write(STDOUT_FILENO, bytes.baseAddress.map { $0 + sent }, bytes.count - sent)
                }
                // A terminal that hung up accepts no more output; its signal follows.
                guard count > 0 else { return }
                sent += count
            }
        }
    }
}
