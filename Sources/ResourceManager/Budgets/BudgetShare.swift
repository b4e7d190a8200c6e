/// What a view asks for when its superview's budget is divided: the constraints of one view.
///
/// ```swift
/// index.share = BudgetShare(bytes: .init(minimum: 64 << 20, weight: 3))
/// pages.share = BudgetShare(bytes: .init(maximum: 512 << 20))
/// ```
///
/// Of 1 GiB the pages then get a quarter and the index the rest; of 8 GiB the pages get their 512 MiB.
public struct BudgetShare: Sendable, Hashable {
    /// What a view asks for of one resource.
    public struct Demand: Sendable, Hashable {
        /// It cannot work with less.
        public var minimum: Int
        /// It has no use for more.
        public var maximum: Int
        /// What it gets in relation to its siblings, between ``minimum`` and ``maximum``.
        public var weight: Double
        /// Whose minimum counts when there is not enough for all: that of the highest first.
        public var priority: Int

        /// A demand; by default as much as each sibling gets.
        ///
        /// `maximum` is raised to `minimum` if it is below.
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

    /// What it asks for of ``Budget/bytes``.
    public var bytes: Demand
    /// What it asks for of ``Budget/slots``.
    public var slots: Demand
    /// What it asks for of ``Budget/threads``.
    public var threads: Demand

    /// A share; by default as much as each sibling gets.
    public init(bytes: Demand = Demand(), slots: Demand = Demand(), threads: Demand = Demand()) {
        self.bytes = bytes
        self.slots = slots
        self.threads = threads
    }

    /// What it asks for of one resource.
    public subscript(resource: Budget.Resource) -> Demand {
        switch resource {
        case .bytes: bytes
        case .slots: slots
        case .threads: threads
        }
    }
}
