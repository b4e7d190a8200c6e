import CLinux
import MemoryPressure
import MemwarnProgram

/// The destination of a report: as text to a stream, as JSON to standard output or a file, or both.
struct ReportOutput {
    /// The file name that stands for standard output.
    static let standardOutput = "-"

    private let words: CInt?
    /// Open as long as the process lives.
    private let json: CInt?
    private let file: String

    /// Opens the file at once, so that a file that cannot be written is an error at the beginning.
    ///
    /// `json` is the file's name or ``standardOutput``, or `nil` for no JSON; text goes to the descriptor `words`,
    /// unless JSON replaces it.
    init(json file: String?, words: CInt) throws(Failure) {
        self.file = file ?? Self.standardOutput
        guard let file, file != Self.standardOutput else {
            json = file == nil ? nil : STDOUT_FILENO
            self.words = file == nil ? words : nil
            return
        }
        let opened = retryingInterrupted { open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666) }
        guard opened >= 0 else { throw .cannotCreate("\(KernelError("write", file, errno: errno))") }
        json = opened
        self.words = words
    }

    /// Writes a report, with the reason if it ends early; text only if there is news.
    ///
    /// - Returns: the exit code to end with if it could not be written.
    func write(_ report: some Encodable & CustomStringConvertible, _ failure: Failure?, hasNews: Bool) -> ExitStatus? {
        var unwritten: Failure?
        if let json { unwritten = write(JSONOutput.text(report, onOneLine: false), to: json) }
        if let words, hasNews, let failure = write("\(report)", to: words) { unwritten = unwritten ?? failure }
        for failure in [failure, unwritten].compactMap(\.self) { Failure.say(failure.message) }
        return unwritten?.code
    }

    private func write(_ text: String, to descriptor: CInt) -> Failure? {
        guard descriptor != STDOUT_FILENO else {
            do throws(Failure) {
                try StandardOutput.print(text)
                return nil
            } catch {
                return error
            }
        }
        // Without standard error the failure cannot be reported.
        guard Self.write(text, to: descriptor) || descriptor == STDERR_FILENO else {
            return .cannotCreate("\(KernelError("write", file, errno: errno))")
        }
        return nil
    }

    private static func write(_ text: String, to descriptor: CInt) -> Bool {
        var rest = Array("\(text)\n".utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                retryingInterrupted { CLinux.write(descriptor, bytes.baseAddress, bytes.count) }
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
