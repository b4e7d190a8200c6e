/// A request for the records of one section.
///
/// The answer is at most ``maximumRecords`` records and then an ``End``, which states where to continue.
package struct Query: FrameBody, Equatable, Sendable {
    /// The section to list.
    package enum Section: UInt8, CaseIterable, Sendable {
        /// The daemon itself: one ``DaemonRecord``.
        case daemon = 0
        /// Every scope that is watched: ``ScopeRecord``.
        case scopes = 1
        /// Every registered host: ``HostRecord``.
        case hosts = 2
        /// The latest rounds: ``RoundRecord``.
        case rounds = 3
        /// The daemon's counters since its start: one ``CountersRecord``.
        case counters = 4
    }

    /// The section to list.
    package var section: Section = .daemon
    /// Where to continue: ``End/next`` of the previous answer; 0 is the start.
    package var after: UInt64 = 0

    /// The maximum number of records in one answer.
    package static let maximumRecords = 64

    /// Creates a request for the records of `section`.
    package init(section: Section, after: UInt64 = 0) {
        self.section = section
        self.after = after
    }

    package init() {}

    package mutating func visit(_ fields: inout some FieldVisitor) throws(FrameError) {
        try fields.choice(&section, "section")
        try fields.integer(&after, "after")
    }
}
