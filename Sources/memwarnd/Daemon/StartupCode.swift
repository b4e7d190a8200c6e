import CLinux

/// The pages of the program and its libraries that only the start-up has needed.
enum StartupCode {
    /// Lets the kernel reclaim all read-only pages that were touched so far.
    ///
    /// Reading the command line and the configuration and loading libraries touch pages that are never used again;
    /// pages that the loop needs return from the page cache at their first use. Locked pages stay.
    static func release() {
        release_read_only_pages()
    }
}
