/// A backup has ended; posted in the host.
struct BackupEnded {
    /// The path of the copy.
    let path: String
    /// The reason for the failure.
    let problem: String?
}
