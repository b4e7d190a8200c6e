internal import CSystemd

extension EventLoop {
    /// The order of handlers when several sources are pending: the lower number comes first.
    ///
    /// It only orders pending handlers. Less important sources wait for as long as more important ones keep pending.
    public struct Priority: RawRepresentable, Hashable, Comparable, Sendable {
        /// The number by which sd-event sorts; lower numbers come first, and any number is valid.
        public let rawValue: Int64

        /// The priority with this number.
        public init(rawValue: Int64) {
            self.rawValue = rawValue
        }

        /// Before all other sources: −200.
        public static let urgent = Self(rawValue: 2 * Int64(SD_EVENT_PRIORITY_IMPORTANT))
        /// Before all normal sources: −100.
        public static let important = Self(rawValue: Int64(SD_EVENT_PRIORITY_IMPORTANT))
        /// The default: 0.
        public static let normal = Self(rawValue: Int64(SD_EVENT_PRIORITY_NORMAL))
        /// After all other sources: 100.
        public static let idle = Self(rawValue: Int64(SD_EVENT_PRIORITY_IDLE))

        /// Whether `left` is called before `right`.
        public static func < (left: Self, right: Self) -> Bool {
            left.rawValue < right.rawValue
        }
    }
}
