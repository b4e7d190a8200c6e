extension Journal {
    /// How urgent an entry is, with syslog's numbers: the lower, the more urgent.
    public enum Priority: CInt, Comparable, CaseIterable, Sendable {
        /// The program cannot do what it is there for.
        case error = 3
        /// Something is wrong, and the program goes on.
        case warning = 4
        /// Normal, and worth knowing.
        case notice = 5
        /// Normal.
        case info = 6
        /// For the search for faults.
        case debug = 7

        /// Whether `left` has the lower number: is more urgent than `right`.
        public static func < (left: Self, right: Self) -> Bool {
            left.rawValue < right.rawValue
        }
    }
}
