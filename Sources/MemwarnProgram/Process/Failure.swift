internal import CLinux

/// Why a command ends without having done its work: one sentence for standard error, and what its end says.
package struct Failure: Error {
    package let message: String
    package let code: ExitStatus

    package init(message: String, code: ExitStatus) {
        self.message = message
        self.code = code
    }

    /// Nothing can be watched here, or something went wrong that the user cannot help.
    package static func software(_ message: String) -> Self { Self(message: message, code: .failed) }
    /// No daemon answers.
    package static func unavailable(_ message: String) -> Self { Self(message: message, code: .unavailable) }
    /// A file that was asked for cannot be made.
    package static func cannotCreate(_ message: String) -> Self { Self(message: message, code: .cannotCreate) }
    /// One of the two programs of memwarnd is missing.
    package static func incomplete(_ message: String) -> Self { Self(message: message, code: .incomplete) }
    /// The kernel or the daemon says that this user may not.
    package static func notPermitted(_ message: String) -> Self { Self(message: message, code: .notPermitted) }
    /// The configuration is refused.
    package static func configuration(_ message: String) -> Self { Self(message: message, code: .configuration) }

    /// Runs a command's body; a failure is said on standard error and ends the process.
    package static func reported(_ body: () throws(Failure) -> ExitStatus) -> Never {
        do {
            let code = try body()
            exit(code.rawValue)
        } catch {
            say(error.message)
            exit(error.code.rawValue)
        }
    }

    /// Says a sentence on standard error.
    package static func say(_ sentence: String) {
        let line = Array("memwarnd: \(sentence)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
