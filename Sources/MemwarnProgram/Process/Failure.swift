import CLinux
import MemoryPressure

/// Why a command ends without having done its work: one sentence for standard error, and what its end says.
struct Failure: Error {
    let message: String
    let code: ExitStatus

    /// Nothing can be watched here, or something went wrong that the user cannot help.
    static func software(_ message: String) -> Self { Self(message: message, code: .failed) }
    /// No daemon answers.
    static func unavailable(_ message: String) -> Self { Self(message: message, code: .unavailable) }
    /// A file that was asked for cannot be made.
    static func cannotCreate(_ message: String) -> Self { Self(message: message, code: .cannotCreate) }
    /// The kernel or the daemon says that this user may not.
    static func notPermitted(_ message: String) -> Self { Self(message: message, code: .notPermitted) }
    /// The configuration is refused.
    static func configuration(_ message: String) -> Self { Self(message: message, code: .configuration) }

    /// Runs a command's body; a failure is said on standard error and ends the process.
    static func reported(_ body: () throws(Failure) -> ExitStatus) -> Never {
        do {
            let code = try body()
            exit(code.rawValue)
        } catch {
            say(error.message)
            exit(error.code.rawValue)
        }
    }

    /// Says a sentence on standard error.
    static func say(_ sentence: String) {
        let line = Array("memwarnd: \(sentence)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }

    /// Turns whatever goes wrong in `body` into a failure.
    static func wrapping<Result>(_ body: () throws -> Result) throws(Failure) -> Result {
        do {
            return try body()
        } catch let failure as Failure {
            throw failure
        } catch {
            throw .software("\(error)")
        }
    }
}
