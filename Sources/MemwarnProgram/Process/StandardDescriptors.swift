internal import CLinux

/// Standard input, output and error.
package enum StandardDescriptors {
    /// Opens the descriptors that the program was started without: otherwise the next opened file would become one of
    /// them, and would receive the program's output.
    ///
    /// Output to them fails, just as it does without them. Call this before any file is opened.
    package static func fill() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // open(2) returns the lowest free number, which is this one.
            _ = open("/dev/null", O_RDONLY)
        }
    }
}
