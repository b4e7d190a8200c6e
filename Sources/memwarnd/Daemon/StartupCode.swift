import CLinux

/// What only starting up has needed of the program and its libraries.
enum StartupCode {
    /// Lets the kernel take back every page of them that was touched so far and cannot be written to.
    ///
    /// Reading the command line and the configuration and loading libraries run through pages that are never used again;
    /// what the loop needs comes back from the page cache at its first use. Before memory is locked, or the start-up's pages
    /// are locked too.
    static func release() {
        release_read_only_pages()
    }
}
