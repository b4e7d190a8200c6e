import CLinux
import MemoryPressure
import TestSupport
import Testing

/// A terminal whose screen a test reads and on which it types.
///
/// It understands only the sequences that `top` writes, and keeps unknown ones in ``unknown``.
final class PseudoTerminal {
    /// The device that a program opens.
    let device: String
    /// The lines on the screen, without trailing blanks.
    var lines: [String] { screen.map { String(String($0).trimmingBlanks) } }
    /// The private modes that are set, such as 25 for the cursor.
    private(set) var modes: Set<Int> = [7, 25]
    /// Sequences that the terminal does not know.
    private(set) var unknown: [String] = []
    /// The number of escape sequences for colours.
    private(set) var colours = 0

    /// `TIOCSPTLCK` and `TIOCGPTN`, ioctl_tty(2), whose macros Swift does not import.
    private static let setLock: UInt = 0x4004_5431
    private static let getNumber: UInt = 0x8004_5430

    private let primary: CInt
    private var screen: [[Character]]
    private var size: (columns: Int, rows: Int)
    private var row = 0
    private var column = 0
    private var unread: [UInt8] = []

    init(columns: Int, rows: Int) throws {
        // Does the work of posix_openpt(3) and its relatives, which the C library declares only for the X/Open dialect.
        primary = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(primary >= 0, "errno \(errno)")
        var isLocked: CInt = 0
        var number: CUnsignedInt = 0
        try #require(ioctl(primary, Self.setLock, &isLocked) == 0 && ioctl(primary, Self.getNumber, &number) == 0)
        device = "/dev/pts/\(number)"
        size = (columns, rows)
        screen = []
        resize(columns: columns, rows: rows)
    }

    deinit {
        close(primary)
    }

    /// Changes the size; the foreground process group gets SIGWINCH.
    func resize(columns: Int, rows: Int) {
        size = (columns, rows)
        screen = Array(repeating: Array(repeating: " ", count: columns), count: rows)
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(primary, UInt(TIOCSWINSZ), &size)
    }

    /// Types a text.
    func type(_ text: String) {
        _ = write(primary, text, text.utf8.count)
    }

    /// The line's modes: echo, line buffering, and keys that send signals.
    func lineModes() throws -> tcflag_t {
        var modes = termios()
        try #require(tcgetattr(primary, &modes) == 0, "errno \(errno)")
        return modes.c_lflag
    }

    /// Reads until the screen is as wanted; false if the time runs out or the program ends before that.
    func wait(within seconds: Double = 20, until isWanted: (PseudoTerminal) -> Bool) -> Bool {
        let deadline = MonotonicInstant.now.advanced(by: .seconds(seconds))
        // Not in the middle of a frame.
        while modes.contains(2026) || !isWanted(self) {
            let left = CInt(clamping: MonotonicInstant.now.duration(to: deadline).milliseconds)
            var request = pollfd(fd: primary, events: Int16(POLLIN))
            guard left > 0, poll(&request, 1, left) > 0 else { return false }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(primary, &bytes, bytes.count)
            guard count > 0 else { return false }
            unread += bytes[..<count]
            interpret()
        }
        return true
    }

    /// Reads until no process has the device open any more.
    func drain() {
        _ = wait { _ in false }
    }

    private func interpret() {
        // An incomplete character or sequence at the end waits for its remaining bytes.
        let text = String(decoding: unread, as: UTF8.self)
        guard !text.hasSuffix("\u{fffd}") else { return }
        var rest = text[...]
        while let character = rest.first {
            if character == "\u{1b}" {
                guard let end = rest.dropFirst(2).firstIndex(where: { $0.isLetter }) else { break }
                sequence(String(rest[...end].dropFirst()))
                rest = rest[rest.index(after: end)...]
            } else {
                put(character)
                rest = rest.dropFirst()
            }
        }
        unread = Array(rest.utf8)
    }

    private func sequence(_ text: String) {
        let body = text.dropFirst().dropLast()
        switch text.last {
        case "H" where body.isEmpty: (row, column) = (0, 0)
        case "K" where body.isEmpty:
            for index in column..<max(column, size.columns) { screen[row][index] = " " }
        case "m": colours += 1
        case "h" where body.first == "?": Int(body.dropFirst()).map { _ = modes.insert($0) }
        case "l" where body.first == "?": Int(body.dropFirst()).map { _ = modes.remove($0) }
        default: unknown.append(text)
        }
    }

    private func put(_ character: Character) {
        switch character {
        case "\r\n": (row, column) = (min(row + 1, size.rows - 1), 0)
        case "\r": column = 0
        case "\n": row = min(row + 1, size.rows - 1)
        default:
            // Without wrapping, further characters overwrite the last column.
            screen[row][min(column, size.columns - 1)] = character
            column = min(column + 1, size.columns)
        }
    }
}

extension String {
    fileprivate var trimmingBlanks: String { String(reversed().drop { $0 == " " }.reversed()) }
}
