internal import Glibc

/// Why a benchmark could not be run, in one sentence.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(sentence: String) {
        description = sentence
    }

    init(_ operation: String, _ path: String, errno code: CInt = errno) {
        description = "cannot \(operation) \(path): \(String(cString: strerror(code)))"
    }
}
