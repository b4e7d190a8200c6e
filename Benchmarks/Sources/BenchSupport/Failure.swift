internal import Glibc

/// The reason why a benchmark could not run, in one sentence.
package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(sentence: String) {
        description = sentence
    }

    package init(_ operation: String, _ path: String, errno code: Int32? = nil) {
        description = "cannot \(operation) \(path): \(String(cString: strerror(code ?? errno)))"
    }
}
