/// What a value that is being loaded will cost and how much it would be missed.
@usableFromInline
struct LoadTerms: Sendable {
    var cost: Int?
    var priority: CachePriority
    /// Whether it is stored only if no other has to leave for it, as long as it is merely fetched ahead.
    let needsSpareRoom: Bool

    @usableFromInline
    init(cost: Int?, priority: CachePriority, needsSpareRoom: Bool = false) {
        self.cost = cost
        self.priority = priority
        self.needsSpareRoom = needsSpareRoom
    }
}
