internal import CSystemd

extension EventLoop {
    /// The order of handlers when several sources are pending: the lower number comes first.
    ///
    /// Only the order of pending handlers follows from it. As long as more important sources keep pending, less
    /// important ones wait.
    public struct Priority: RawRepresentable, Hashable, Comparable, Sendable {
        /// The number that sd-event sorts by; any will do, lower ones come first.
        public let rawValue: Int64

        /// The priority with this number.
        public init(rawValue: Int64) {
            self.rawValue = rawValue
        }

        /// Before all others: −200.
        public static let urgent = Self(rawValue: 2 * Int64(SD_EVENT_PRIORITY_IMPORTANT))
        /// Before all that is normal: −100.
        public static let important = Self(rawValue: Int64(SD_EVENT_PRIORITY_IMPORTANT))
        /// What sources have unless they ask for another: 0.
        public static let normal = Self(rawValue: Int64(SD_EVENT_PRIORITY_NORMAL))
        /// When nothing else is left to do: 100.
        public static let idle = Self(rawValue: Int64(SD_EVENT_PRIORITY_IDLE))

        /// Whether `left` is called before `right`.
        public static func < (left: Self, right: Self) -> Bool {
            left.rawValue < right.rawValue
        }
    }
}
