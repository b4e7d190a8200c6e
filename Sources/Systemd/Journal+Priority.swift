extension Journal {
    /// How urgent an entry is, with syslog's numbers: a lower number is more urgent.
    public enum Priority: CInt, Comparable, CaseIterable, Sendable {
        /// The program cannot do its work.
        case error = 3
        /// An error; the program continues.
        case warning = 4
        /// Normal but significant.
        case notice = 5
        /// Normal.
        case info = 6
        /// For debugging.
        case debug = 7

        /// Whether `left` is more urgent than `right`: has the lower number.
        public static func < (left: Self, right: Self) -> Bool {
            left.rawValue < right.rawValue
        }
    }
}
