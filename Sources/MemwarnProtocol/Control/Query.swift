/// A request for the records of one section.
///
/// The answer is at most ``maximumRecords`` records and then an ``End``, which says where to go on.
public struct Query: Equatable, Sendable {
    /// What is listed.
    public enum Section: UInt8, CaseIterable, Sendable {
        /// The daemon itself: one ``DaemonRecord``.
        case daemon = 0
        /// Every scope that is watched: ``ScopeRecord``.
        case scopes = 1
        /// Every registered host: ``HostRecord``.
        case hosts = 2
        /// The latest rounds: ``RoundRecord``.
        case rounds = 3
        /// What the daemon has counted since it started: one ``CountersRecord``.
        case counters = 4
    }

    /// What is listed.
    public var section: Section
    /// Where to go on: ``End/next`` of the answer before; 0 is the start.
    public var after: UInt64

    /// The most records in one answer.
    public static let maximumRecords = 64

    /// A request for the records of `section`.
    public init(section: Section, after: UInt64 = 0) {
        self.section = section
        self.after = after
    }
}

extension Query {
    init(from reader: inout FrameReader) throws(FrameError) {
        section = try reader.choice("section")
        after = try reader.integer("after")
    }

    func write(to writer: inout FrameWriter) throws(FrameError) {
        try writer.put(section)
        try writer.put(after)
    }
}
