/// A backup has ended; posted in the host.
struct BackupEnded {
    /// Where it is.
    let path: String
    /// Why it failed.
    let problem: String?
}
