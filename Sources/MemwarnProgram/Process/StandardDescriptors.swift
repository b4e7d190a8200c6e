internal import CLinux

/// Standard input, output and error.
package enum StandardDescriptors {
    /// Fills those that the program was started without: the next file that it opens would be one of them, and what is printed
    /// would go to it.
    ///
    /// What is printed all the same fails, as it does without them. To be called before anything is opened.
    package static func fill() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest number that is free is this one.
            _ = open("/dev/null", O_RDONLY)
        }
    }
}
