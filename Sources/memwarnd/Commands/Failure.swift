import CLinux
import MemoryPressure

/// Why a command ends without having done its work: one sentence for standard error, and an exit code.
///
/// The codes are those of sysexits.h where it has one.
struct Failure: Error {
    let message: String
    let code: CInt

    /// Nothing can be watched here, or something went wrong that the user cannot help.
    static func software(_ message: String) -> Self { Self(message: message, code: 1) }
    /// No daemon answers (EX_UNAVAILABLE).
    static func unavailable(_ message: String) -> Self { Self(message: message, code: 69) }
    /// A file that was asked for cannot be written (EX_CANTCREAT).
    static func cannotCreate(_ message: String) -> Self { Self(message: message, code: 73) }
    /// The kernel or the daemon says that this user may not (EX_NOPERM).
    static func notPermitted(_ message: String) -> Self { Self(message: message, code: 77) }
    /// The configuration is refused (EX_CONFIG).
    static func configuration(_ message: String) -> Self { Self(message: message, code: 78) }

    /// Runs a command's body; a failure is said on standard error and ends the process.
    static func reported(_ body: () throws(Failure) -> CInt) -> Never {
        do {
            let code = try body()
            exit(code)
        } catch {
            say(error.message)
            exit(error.code)
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
