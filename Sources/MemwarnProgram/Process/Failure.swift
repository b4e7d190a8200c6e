internal import CLinux

/// Why a command ends without doing its work: one sentence for standard error, and the exit status.
package struct Failure: Error {
    package let message: String
    package let code: ExitStatus

    package init(message: String, code: ExitStatus) {
        self.message = message
        self.code = code
    }

    /// Nothing can be watched here, or the user cannot correct the error.
    package static func software(_ message: String) -> Self { Self(message: message, code: .failed) }
    /// No daemon answers.
    package static func unavailable(_ message: String) -> Self { Self(message: message, code: .unavailable) }
    /// A requested file cannot be created.
    package static func cannotCreate(_ message: String) -> Self { Self(message: message, code: .cannotCreate) }
    /// One of the two programs of memwarnd is missing.
    package static func incomplete(_ message: String) -> Self { Self(message: message, code: .incomplete) }
    /// The kernel or the daemon denies permission to this user.
    package static func notPermitted(_ message: String) -> Self { Self(message: message, code: .notPermitted) }
    /// The configuration is refused.
    package static func configuration(_ message: String) -> Self { Self(message: message, code: .configuration) }

    /// Runs a command's body; prints a failure on standard error and ends the process.
    package static func reported(_ body: () throws(Failure) -> ExitStatus) -> Never {
        do {
            let code = try body()
            exit(code.rawValue)
        } catch {
            say(error.message)
            exit(error.code.rawValue)
        }
    }

    /// Prints a sentence on standard error.
    package static func say(_ sentence: String) {
        let line = Array("memwarnd: \(sentence)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
