/// A period in which a job uses memory in addition to the hosts.
package struct Episode: Sendable {
    enum Kind: Sendable {
        /// It allocates this number of bytes and keeps them.
        case growth(Double)
        /// It reads this number of bytes of files repeatedly.
        case thrash(Double)
        /// It reads files once, as many as there is room for.
        case stream
        /// The kernel compacts memory without a shortage: tasks lose this share of time.
        case compaction(Double)
    }

    /// The cgroup in which the job runs; `nil` is the machine's root.
    let cgroup: Int?
    let kind: Kind
    /// In seconds: when the job begins, how long it grows, and how long it stays.
    let start: Double
    let growing: Double
    let holding: Double

    var end: Double { start + growing + holding }
}
