/// The part that a view requests when its superview's budget is divided: the constraints of one view.
///
/// ```swift
/// index.share = BudgetShare(bytes: .init(minimum: 64 << 20, weight: 3))
/// pages.share = BudgetShare(bytes: .init(maximum: 512 << 20))
/// ```
///
/// Of 1 GiB the pages then get a quarter and the index the rest. Of 8 GiB the pages get their 512 MiB and the index the
/// rest.
public struct BudgetShare: Sendable, Hashable {
    /// The view's demand for one resource.
    public struct Demand: Sendable, Hashable {
        /// The least that the view can work with.
        public var minimum: Int
        /// The most that the view can use.
        public var maximum: Int
        /// The view's proportion in relation to its siblings, between ``minimum`` and ``maximum``.
        public var weight: Double
        /// Decides which minima are met when the total is too small for all: the highest priority first.
        public var priority: Int

        /// A demand; by default the same amount as each sibling gets.
        ///
        /// `maximum` is raised to `minimum` if it is lower.
        public init(minimum: Int = 0, maximum: Int = .max, weight: Double = 1, priority: Int = 0) {
            self.minimum = max(0, minimum)
            self.maximum = max(self.minimum, maximum)
            self.weight = weight.isFinite ? max(0, weight) : 0
            self.priority = priority
        }

        /// Always the same amount, whatever the total.
        public static func fixed(_ amount: Int, priority: Int = 0) -> Demand {
            Demand(minimum: amount, maximum: amount, priority: priority)
        }
    }

    /// The demand for ``Budget/bytes``.
    public var bytes: Demand
    /// The demand for ``Budget/slots``.
    public var slots: Demand
    /// The demand for ``Budget/threads``.
    public var threads: Demand

    /// A share; by default the same amount as each sibling gets.
    public init(bytes: Demand = Demand(), slots: Demand = Demand(), threads: Demand = Demand()) {
        self.bytes = bytes
        self.slots = slots
        self.threads = threads
    }

    /// The demand for one resource.
    public subscript(resource: Budget.Resource) -> Demand {
        switch resource {
        case .bytes: bytes
        case .slots: slots
        case .threads: threads
        }
    }
}
