/// A time in which a job takes memory beside the hosts.
package struct Episode: Sendable {
    enum Kind: Sendable {
        /// It takes so many bytes that it keeps.
        case growth(Double)
        /// It reads so many bytes of files again and again.
        case thrash(Double)
        /// It reads files once, as many as there is room for.
        case stream
        /// The kernel compacts memory, of which there is enough: tasks lose this share of time.
        case compaction(Double)
    }

    /// The cgroup that the job runs in; `nil` is the machine's root.
    let cgroup: Int?
    let kind: Kind
    /// In seconds: when it begins, how long it grows, and how long it stays.
    let start: Double
    let growing: Double
    let holding: Double

    var end: Double { start + growing + holding }
}
