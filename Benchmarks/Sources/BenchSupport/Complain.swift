internal import Glibc

/// Prints a line on standard error.
package func complain(_ text: String) {
    let line = text + "\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
}
